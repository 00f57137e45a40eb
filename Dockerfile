# pushrig as an image: small, without a toolchain, not root. It takes the Debian package that script/package makes.
#
#   script/package && docker build --tag pushrig .                       # in a checkout
#   docker build --tag pushrig --build-arg 'DEB=pushrig_*.deb' .          # in a folder with the files of a release
#   docker run --rm -p 2197:2197 -p 2198:2198 -p 2190:2190 pushrig        # a mock of APNs and FCM
ARG BASE=debian:bookworm-slim
# The user of the image names the base and so its version.
# hadolint ignore=DL3006
FROM ${BASE}
ARG DEB=.build/dist/pushrig_*.deb
COPY ${DEB} /tmp/
RUN apt-get update \
    && apt-get install --yes --no-install-recommends /tmp/pushrig_*.deb \
    && rm -rf /tmp/pushrig_*.deb /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --uid 10001 --create-home --home-dir /work pushrig \
    && install --directory --owner=pushrig --group=pushrig /state
# By its number, so that whoever runs the image sees that it is not root.
USER 10001
WORKDIR /work
# APNs, FCM, the admin API
EXPOSE 2197 2198 2190
HEALTHCHECK --interval=2s --timeout=5s --start-period=5s --retries=5 CMD ["pushrig", "mock", "--health", "--state", "/state"]
ENTRYPOINT ["pushrig"]
CMD ["mock", "--state", "/state", "--apns", "0.0.0.0:2197", "--fcm", "0.0.0.0:2198", "--admin", "0.0.0.0:2190", "--name", "mock", "--name", "localhost"]
