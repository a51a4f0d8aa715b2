package dev.weir.lean.internal.net;

import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.ChannelBuilder;
import org.apache.kafka.common.network.ChannelMetadataRegistry;
import org.apache.kafka.common.network.CipherInformation;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.jspecify.annotations.Nullable;

/**
 * Socket connections with the client's security properties, and the selector that waits for them. Confined to one
 * thread, except {@link #wakeup} and {@link #nanoTime}.
 */
final class SocketTransports implements Transports {

    private static final int MAX_HANDSHAKE_BYTES = 1024 * 1024;

    private final Selector selector;
    private final int receiveBufferBytes;
    private final @Nullable ChannelBuilder secured;
    private int opened;

    SocketTransports(Map<String, String> properties, int receiveBufferBytes) throws IOException {
        refuseOldClient();
        this.receiveBufferBytes = receiveBufferBytes;
        String protocol = properties.getOrDefault(
                CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, CommonClientConfigs.DEFAULT_SECURITY_PROTOCOL);
        boolean plain = protocol.toUpperCase(Locale.ROOT).equals(SecurityProtocol.PLAINTEXT.name());
        this.secured = plain ? null : builder(properties);
        try {
            this.selector = Selector.open();
        } catch (Throwable e) {
            if (secured != null) {
                QuietClose.close(secured); // ends its login thread
            }
            throw e;
        }
    }

    /** Throws if kafka-clients is too old. Only secured connections would notice it later. */
    private static void refuseOldClient() {
        try {
            Objects.requireNonNull(LogContext.class);
        } catch (NoClassDefFoundError old) {
            throw new KafkaException(
                    "the lean path needs kafka-clients 4.4, and older ones are on the class path: pin org.apache.kafka:kafka-clients,"
                            + " with Spring Boot by the property kafka.version",
                    old);
        }
    }

    private static ChannelBuilder builder(Map<String, String> properties) {
        Map<String, Object> config = new HashMap<>(properties);
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        return ClientUtils.createChannelBuilder(new ConsumerConfig(config), Time.SYSTEM, new LogContext("[lean] "));
    }

    @Override
    public Transport open(InetSocketAddress address, Runnable whenReady) throws IOException {
        freeClosed();
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            if (receiveBufferBytes > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBufferBytes);
            }
            channel.connect(address);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT, whenReady);
            if (secured == null) {
                return new PlainTransport(channel, key);
            }
            return new SecuredTransport(secure(secured, key), key);
        } catch (IOException | RuntimeException e) {
            QuietClose.close(channel);
            throw e;
        }
    }

    /**
     * Builds the secured channel of a connection.
     *
     * @throws IOException if this is impossible now, for example while the Kerberos login is renewed; the caller
     * retries, as the official client does. {@link #builder} has already refused invalid settings.
     */
    private KafkaChannel secure(ChannelBuilder builder, SelectionKey key) throws IOException {
        try {
            return builder.buildChannel("lean-" + opened++, key, MAX_HANDSHAKE_BYTES, MemoryPool.NONE, new Registry());
        } catch (RuntimeException e) {
            throw new IOException("cannot secure a connection: " + FailureText.of(e), e);
        }
    }

    /** Frees the sockets of closed channels. A closed channel keeps its socket until the next select operation. */
    private void freeClosed() throws IOException {
        selector.selectNow(key -> {});
        // Restore a wake-up that the select operation may have cleared.
        selector.wakeup();
    }

    @Override
    public void await(long millis) throws IOException {
        if (millis > 0) {
            selector.select(SocketTransports::tell, millis);
        } else {
            selector.selectNow(SocketTransports::tell);
        }
    }

    private static void tell(SelectionKey key) {
        if (key.attachment() instanceof Runnable whenReady) {
            whenReady.run();
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public SplittableRandom newRandom() {
        return new SplittableRandom();
    }

    @Override
    public void close() {
        if (secured != null) {
            QuietClose.close(secured);
        }
        QuietClose.close(selector);
    }

    /** Holds a connection's metadata. {@code KafkaChannel} requires it; Weir does not read it. */
    private static final class Registry implements ChannelMetadataRegistry {

        private CipherInformation cipher = new CipherInformation(null, null);
        private ClientInformation client = ClientInformation.EMPTY;

        @Override
        public void registerCipherInformation(CipherInformation information) {
            cipher = information;
        }

        @Override
        public CipherInformation cipherInformation() {
            return cipher;
        }

        @Override
        public void registerClientInformation(ClientInformation information) {
            client = information;
        }

        @Override
        public ClientInformation clientInformation() {
            return client;
        }

        @Override
        public void close() {}
    }
}
