package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Tests a transactional producer, mainly while brokers refuse its transactional id. */
class TransactionalProducerTest {

    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS =
            Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(1));

    private final Queue<RuntimeException> refusals = new ArrayDeque<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final List<Refusing> clients = new ArrayList<>();
    private final TransactionalProducer<String, String> producer =
            TransactionalProducer.ofRun(this::client, () -> false, pauses::add);

    private Refusing client() {
        clients.add(new Refusing());
        return clients.getLast();
    }

    // Regression: the run ended if the coordinator was still loading its log, or if the id had just been fenced.
    @Test
    void open_refusedForAReasonThatPasses_triesAgainWithAnotherClient() {
        refusals.add(new CoordinatorLoadInProgressException("loading"));
        refusals.add(new KafkaException("fatal state", new InvalidProducerEpochException("fenced")));
        refusals.add(new TimeoutException("nobody there"));
        producer.open();
        assertThat(clients).hasSize(4);
        assertThat(clients.subList(0, 3)).allMatch(MockProducer::closed);
        assertThat(producer.client.client()).isSameAs(clients.getLast());
        assertThat(pauses).hasSize(2).isSorted();
    }

    @Test
    void open_refusedForAReasonThatPasses_givesUpAtABound() {
        for (int i = 0; i < 2 * TransactionalProducer.OPENINGS; i++) {
            refusals.add(new CoordinatorLoadInProgressException("loading"));
        }
        assertThatThrownBy(producer::open).isInstanceOf(CoordinatorLoadInProgressException.class);
        assertThat(clients).hasSize(TransactionalProducer.OPENINGS).allMatch(MockProducer::closed);
    }

    @Test
    void open_refusedForGood_failsAtOnce() {
        refusals.add(new TransactionalIdAuthorizationException("not yours"));
        assertThatThrownBy(producer::open).isInstanceOf(TransactionalIdAuthorizationException.class);
        assertThat(clients).hasSize(1).allMatch(MockProducer::closed);
        assertThat(pauses).isEmpty();
    }

    // Regression: the run failed if an aborted client's thread ended while the abort waited for the coordinator.
    @Test
    void clientThread_isKnownByItsAnswers_untilTheClientIsClosed() throws Exception {
        producer.open();
        producer.client.thread().heard();
        assertThat(producer.client.thread().isDead()).isFalse();
        Thread.ofPlatform()
                .name("kafka-producer-network-thread | 1")
                .start(() -> producer.client.thread().heard())
                .join();
        assertThat(producer.client.thread().isDead()).isTrue();
        producer.breakOff();
        assertThat(producer.client.thread().isDead()).isFalse();
    }

    // In a closed Kafka client, the caller of {@code sendOffsetsToTransaction} waits for up to max.block.ms.
    @Test
    void offsetsThatNobodyTakes_areBrokenOff_thoughTheClientGoesOnWaiting() throws Exception {
        producer.open();
        Sending sending = new Sending();
        producer.breakOff();
        assertThat(sending.failure.get(20, TimeUnit.SECONDS))
                .isExactlyInstanceOf(KafkaException.class)
                .hasMessageContaining("t-0");
        assertThat(sending.interrupted.get(20, TimeUnit.SECONDS))
                .as("what comes next would be interrupted")
                .isFalse();
    }

    @Test
    void offsetsThatNobodyTakes_atTheEndOfARun_areInterrupted() throws Exception {
        producer.open();
        Sending sending = new Sending();
        sending.thread.interrupt();
        assertThat(sending.failure.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptException.class);
    }

    @Test
    void breakOff_whileNobodyWaits_interruptsNobody() {
        producer.open();
        producer.breakOff();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void client_waitsInVainWithATopicThatWasRecreated_untilItIsReplaced() throws Exception {
        producer.open();
        producer.topicRecreated("t");
        assertThat(producer.waitsInVain(OFFSETS.keySet())).as("nobody waits").isFalse();
        Sending sending = new Sending();
        assertThat(producer.waitsInVain(OFFSETS.keySet())).isTrue();
        assertThat(producer.waitsInVain(Set.of(new TopicPartition("other", 0)))).isFalse();
        producer.breakOff();
        sending.thread.join();
        assertThat(producer.waitsInVain(OFFSETS.keySet())).isFalse();
        producer.open();
        Sending again = new Sending();
        assertThat(producer.waitsInVain(OFFSETS.keySet())).isFalse();
        producer.breakOff();
        again.thread.join();
    }

    /** A thread that sends offsets and waits for the brokers. */
    private final class Sending {

        final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        final Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                producer.sendOffsets(OFFSETS, new MockConsumer<>("earliest").groupMetadata());
            } catch (RuntimeException thrown) {
                interrupted.complete(Thread.currentThread().isInterrupted());
                failure.complete(thrown);
            }
        });

        Sending() throws InterruptedException {
            clients.getLast().asked.await();
        }
    }

    private final class Refusing extends MockProducer<String, String> {

        final CountDownLatch asked = new CountDownLatch(1);

        Refusing() {
            super(true, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public void initTransactions() {
            RuntimeException refusal = refusals.poll();
            if (refusal != null) {
                throw refusal;
            }
        }

        /** Waits for the coordinator forever, even after the client is closed. */
        @Override
        public void sendOffsetsToTransaction(
                Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member) {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupted) {
                throw new InterruptException(interrupted);
            }
        }
    }
}
