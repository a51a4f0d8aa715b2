package dev.weir.kafka.internal.out.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.internal.out.client.ClientHealth.Found;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.callback.Callback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Tests that a close ends in time although user code blocks the client's thread forever. */
class ClientClosingTest {

    /** A client whose thread user code blocks. Its close waits for that thread, as in Kafka's client. */
    private static final class Hanging extends KafkaProducer<byte[], byte[]> {

        private final CountDownLatch heard = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final Thread own;

        Hanging(ClientThread seen) {
            super(Map.of("bootstrap.servers", "127.0.0.1:9"), new ByteArraySerializer(), new ByteArraySerializer());
            own = Thread.ofPlatform()
                    .daemon()
                    .name("kafka-producer-network-thread | hanging")
                    .start(() -> codeOfAUser(seen));
        }

        private void codeOfAUser(ClientThread seen) {
            seen.heard();
            heard.countDown();
            try {
                released.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close(Duration patience) {
            try {
                own.join();
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
            super.close(patience);
        }
    }

    @Test
    void close_ofAClientWhoseThreadHangs_isAbandonedAndFoundByName() throws Exception {
        ClientThread thread = new ClientThread();
        Hanging client = new Hanging(thread);
        thread.isOf(client);
        client.heard.await();
        ClientHealth health = new ClientHealth(false);

        ClientClosing.begin(client); // regression: the thread that checks producers waited here

        assertThat(health.look(client, thread, 0, 1, false, SECONDS.toNanos(1))).isEqualTo(Found.WELL);
        assertThat(health.look(client, thread, 0, 1, false, SECONDS.toNanos(10)))
                .isEqualTo(Found.WELL);
        assertThat(health.look(client, thread, 0, 1, false, SECONDS.toNanos(11)))
                .isEqualTo(Found.HANGS);
        assertThat(health.failure(Found.HANGS))
                .hasMessageContaining("kafka-producer-network-thread | hanging")
                .hasMessageContaining("codeOfAUser");
        assertThat(ClientClosing.close(client, Duration.ZERO)).isFalse();
        client.released.countDown();
        assertThat(ClientClosing.close(client, Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void close_ofAClientThatIsWell_endsItsThread() {
        Producer<byte[], byte[]> client = new KafkaProducer<>(
                Map.of("bootstrap.servers", "127.0.0.1:9"), new ByteArraySerializer(), new ByteArraySerializer());

        assertThat(ClientClosing.close(client, Duration.ZERO)).isTrue();
        assertThat(ClientThread.of(client).isDead()).isFalse(); // it ended on request
    }

    /** A callback runs on the producer's own thread. The close must not wait for that thread. */
    @Test
    void close_byTheClientsOwnThread_waitsForNothing() throws Exception {
        ClientThread thread = new ClientThread();
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        CountDownLatch told = new CountDownLatch(1);
        Producer<byte[], byte[]> client =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public void close(Duration patience) {
                        told.countDown();
                    }
                };
        thread.isOf(client);
        Thread own = Thread.ofPlatform().start(() -> {
            thread.heard();
            closed.complete(ClientClosing.close(client, Duration.ofSeconds(30)));
        });

        assertThat(closed.get(20, SECONDS)).isTrue();
        assertThat(told.getCount()).isZero();
        own.join();
    }

    /** Blocks a lean producer's thread when the producer connects. */
    public static final class HangingLogin implements AuthenticateCallbackHandler {

        private static final CountDownLatch ASKED = new CountDownLatch(1);
        private static final CountDownLatch RELEASED = new CountDownLatch(1);

        @Override
        public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {}

        @Override
        public void handle(Callback[] callbacks) {
            ASKED.countDown();
            boolean interrupted = false;
            while (RELEASED.getCount() > 0) {
                try {
                    RELEASED.await();
                } catch (InterruptedException hurried) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {}
    }

    // Regression: a lean producer that hung was not detected.
    @Test
    void begin_ofALeanClientWhoseThreadHangs_waitsForNothing() throws Exception {
        try (ServerSocket broker = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Producer<byte[], byte[]> client = ProducerOrigin.open(
                    ProducePath.LEAN,
                    Map.of(
                            "bootstrap.servers",
                            "localhost:" + broker.getLocalPort(),
                            "security.protocol",
                            "SASL_PLAINTEXT",
                            "sasl.mechanism",
                            "PLAIN",
                            "sasl.jaas.config",
                            PlainLoginModule.class.getName() + " required;",
                            "sasl.client.callback.handler.class",
                            HangingLogin.class.getName()),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                var ignored = client.send(new ProducerRecord<>("out", new byte[1]));
            });
            HangingLogin.ASKED.await();

            ClientClosing.begin(client);

            assertThat(ClientThread.of(client).isClosing()).isTrue();
            HangingLogin.RELEASED.countDown();
            assertThat(sending).failsWithin(30, SECONDS);
            assertThat(ClientClosing.close(client, Duration.ofSeconds(30))).isTrue();
        }
    }

    // Regression: the caller's other resources stayed open.
    @Test
    void close_thatTheClientRefuses_saysSoInsteadOfThrowing() {
        Producer<byte[], byte[]> client =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public void close(Duration patience) {
                        throw new KafkaException("the producer's thread did not end within 30 s");
                    }
                };

        ClientClosing.begin(client);

        assertThat(ClientClosing.close(client, Duration.ZERO)).isFalse();
    }

    @Test
    void begin_toldTwice_closesOnce() {
        AtomicInteger closes = new AtomicInteger();
        Producer<byte[], byte[]> client =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public void close(Duration patience) {
                        closes.incrementAndGet();
                    }
                };

        ClientClosing.begin(client);
        ClientClosing.begin(client);

        assertThat(closes).hasValue(1);
    }
}
