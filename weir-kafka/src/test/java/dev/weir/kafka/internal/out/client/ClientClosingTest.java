package dev.weir.kafka.internal.out.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.out.client.ClientHealth.Found;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Tests that a client is closed in bounded time even if its own thread hangs in user code and never ends by itself. */
class ClientClosingTest {

    /** Waits for its own thread when closed, as Kafka's client does. User code keeps that thread from ending. */
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

        ClientClosing.begin(client); // who looks at producers waited here

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

    /**
     * A callback that closes its producer runs on the producer's own thread, for which {@code close} would otherwise
     * wait.
     */
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
