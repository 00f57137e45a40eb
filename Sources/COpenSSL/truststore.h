// Certificates as a PKCS #12 file that Java trusts: it takes a certificate without a key for an authority only where the bag
// has Oracle's attribute trustedKeyUsage (`openssl pkcs12 -jdktrust`, which OpenSSL has since 3.2).
#ifndef PUSHRIG_COPENSSL_TRUSTSTORE_H
#define PUSHRIG_COPENSSL_TRUSTSTORE_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

static inline int pushrig_trust_bag(STACK_OF(PKCS12_SAFEBAG) **bags, X509 *certificate, ASN1_OBJECT *usage, int number) {
    char name[32];
    BIO_snprintf(name, sizeof name, "authority-%d", number);
    PKCS12_SAFEBAG *bag = PKCS12_add_cert(bags, certificate);
    return bag != NULL && PKCS12_add_friendlyname_utf8(bag, name, -1) == 1
        && PKCS12_add1_attr_by_txt(
               bag, "2.16.840.1.113894.746875.1.1", V_ASN1_OBJECT, (const unsigned char *)usage, -1) == 1;
}

// Writes all certificates that `pem` holds to `out`, sealed with `password` and not encrypted. Gives how many, or -1. The
// seal is of the kind that every Java can check.
static inline int pushrig_trust_store(BIO *pem, const char *password, BIO *out) {
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    STACK_OF(PKCS7) *safes = NULL;
    PKCS12 *store = NULL;
    ASN1_OBJECT *usage = OBJ_txt2obj("2.5.29.37.0", 1);
    int count = 0, done = usage != NULL;
    X509 *certificate;
    while (done && (certificate = PEM_read_bio_X509(pem, NULL, NULL, NULL)) != NULL) {
        done = pushrig_trust_bag(&bags, certificate, usage, ++count);
        X509_free(certificate);
    }
    ERR_clear_error();
    done = done && count > 0 && PKCS12_add_safe(&safes, bags, -1, 0, NULL) == 1;
    if (done) store = PKCS12_add_safes(safes, 0);
    done = store != NULL && PKCS12_set_mac(store, password, -1, NULL, 0, 0, EVP_sha1()) == 1
        && i2d_PKCS12_bio(out, store) == 1;
    PKCS12_free(store);
    sk_PKCS7_pop_free(safes, PKCS7_free);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    ASN1_OBJECT_free(usage);
    return done ? count : -1;
}

#endif
