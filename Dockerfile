# Jitney in a container: everything on 5672 and 5300, AMQP over TLS on 5671. Nothing is kept unless JITNEY_DATA=/data and a volume say so.

# Any image with Node 20.19 or newer, glibc and a user `node`.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
COPY tools ./tools
RUN npm run build && npm prune --omit=dev

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Jitney" \
  org.opencontainers.image.description="Azure Service Bus on your own machine, for development and tests" \
  org.opencontainers.image.source="https://github.com/your-name/jitney" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY package.json LICENSE ./
COPY config ./config
# Where tools put the official emulator's Config.json, and where data can be kept; group 0 for platforms with arbitrary users.
RUN mkdir -p /ServiceBus_Emulator/ConfigFiles /data \
  && chown node:0 /ServiceBus_Emulator/ConfigFiles /data \
  && chmod 775 /ServiceBus_Emulator/ConfigFiles /data
USER node
# A volume keeps the certificates. The first client of TLS, or of GET /ca.pem, has them made; then /data/certificates/ca.pem can be copied.
ENV NODE_ENV=production JITNEY_HOST=0.0.0.0 JITNEY_MEMORY=1 JITNEY_CERT_DIRECTORY=/data/certificates
EXPOSE 5672 5300 5671
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --start-interval=250ms CMD ["node", "/app/dist/cli/main.js", "healthcheck"]
# Node as the first process: it handles SIGTERM itself and starts no others.
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
