// OpenSSL's macros as functions, so that Swift can call them.
#ifndef PUSHRIG_COPENSSL_SHIM_H
#define PUSHRIG_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "truststore.h"

static inline long pushrig_ssl_ctx_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }
static inline int pushrig_ssl_ctx_set_min_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}
static inline int pushrig_ssl_ctx_set_max_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}
static inline long pushrig_ssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline long pushrig_ssl_set_tlsext_host_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}
static inline int pushrig_bio_should_retry_flags(void) { return BIO_FLAGS_SHOULD_RETRY; }
static inline void pushrig_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void pushrig_bio_set_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void pushrig_bio_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }
// Lets clients come again with a ticket under these keys, of 80 bytes; `id` sets servers apart.
static inline int pushrig_ssl_ctx_resume(SSL_CTX *context, const void *keys, const unsigned char *id, unsigned int count) {
    SSL_CTX_clear_options(context, SSL_OP_NO_TICKET);
    return SSL_CTX_set_num_tickets(context, 1) == 1 && SSL_CTX_set_session_id_context(context, id, count) == 1
        && SSL_CTX_set_tlsext_ticket_keys(context, (void *)keys, 80) == 1;
}
static inline uint64_t pushrig_ssl_server_options(void) { return SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION; }
static inline EVP_PKEY *pushrig_ec_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *pushrig_rsa_generate(unsigned int bits) { return EVP_RSA_gen(bits); }

// Adds one extension in OpenSSL's configuration syntax; X509V3_set_ctx_nodb is a macro over the context's members.
static inline int pushrig_x509_extend(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}
// Adds one extension by its dotted identifier, its content given as DER.
static inline int pushrig_x509_add_der(X509 *certificate, const char *identifier, const unsigned char *der, int count) {
    ASN1_OBJECT *object = OBJ_txt2obj(identifier, 1);
    ASN1_OCTET_STRING *content = ASN1_OCTET_STRING_new();
    X509_EXTENSION *extension = NULL;
    int added = 0;
    if (object != NULL && content != NULL && ASN1_OCTET_STRING_set(content, der, count) == 1)
        extension = X509_EXTENSION_create_by_OBJ(NULL, object, 0, content);
    if (extension != NULL) added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    ASN1_OCTET_STRING_free(content);
    ASN1_OBJECT_free(object);
    return added;
}
// Unix seconds, or the given value when the time cannot be read.
static inline long long pushrig_asn1_seconds(const ASN1_TIME *time, long long otherwise) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? (long long)timegm(&parts) : otherwise;
}
// Trust decides, not dates: those are judged by whoever knows which clock counts.
static inline int pushrig_ssl_ctx_ignore_dates(SSL_CTX *context) {
    return X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_NO_CHECK_TIME);
}
// Whether the certificate is valid now and will be for so many seconds more.
static inline int pushrig_x509_valid_for(X509 *certificate, long seconds) {
    time_t now = time(NULL), later = now + seconds;
    return X509_cmp_time(X509_get0_notBefore(certificate), &now) < 0
        && X509_cmp_time(X509_get0_notAfter(certificate), &later) > 0;
}

#endif
