package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.out.client.ClientHealth.Found;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class ReplaceableProducerTest {

    private static final ProducerRecord<String, String> RECORD = new ProducerRecord<>("out", "a");

    private final List<MockProducer<String, String>> clients = new ArrayList<>();
    private final Queue<RuntimeException> refusals = new ArrayDeque<>();
    private final ReplaceableProducer<String, String> producer =
            new ReplaceableProducer<>(this::client, false, ClientProgress.NONE);

    private Producer<String, String> client() {
        RuntimeException refusal = refusals.poll();
        if (refusal != null) {
            throw refusal;
        }
        clients.add(new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()));
        return clients.getLast();
    }

    private void send() {
        var ignored = producer.send(RECORD, (written, why) -> {});
    }

    // Nobody would close a client that is opened after {@code close}.
    @Test
    void send_afterClose_opensNoOtherClient() {
        send();
        producer.close(Duration.ZERO);
        assertThatThrownBy(this::send).isInstanceOf(IllegalStateException.class).hasMessage("the producer is closed");
        assertThat(clients).hasSize(1).allMatch(MockProducer::closed);
    }

    @Test
    void refused_byAnErrorOfTheClient_makesWayForAnother_andNotByOneOfARecordOrOfTime() {
        int first = producer.open();
        List.of(
                        new TimeoutException("late"),
                        new RecordTooLargeException("large"),
                        new IllegalArgumentException("text"))
                .forEach(refusal -> producer.refused(first, refusal, Duration.ZERO));
        send();
        assertThat(clients).hasSize(1);
        producer.refused(first, new KafkaException("fatal"), Duration.ZERO);
        send();
        producer.refused(first, new KafkaException("fatal"), Duration.ZERO);
        send();
        assertThat(clients)
                .as("an answer of the first is no news of the second")
                .hasSize(2);
        assertThat(clients.getFirst().closed()).isTrue();
    }

    /** Callbacks of all sent records. The test calls them. */
    private final List<Callback> callbacks = new ArrayList<>();

    private Producer<String, String> silentClient() {
        return new MockProducer<>(false, null, new StringSerializer(), new StringSerializer()) {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
            public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
                callbacks.add(callback);
                return new CompletableFuture<>();
            }
        };
    }

    /** If a broker has forgotten a batch, Kafka's client sends that batch again forever. */
    @Test
    void client_thatAnswersAllRecordsButOne_isStuck() {
        ReplaceableProducer<String, String> silent = silent();
        var ignored = silent.send(RECORD, (written, why) -> {});
        Found found = Found.WELL;
        for (int second = 1; second <= 40 && found == Found.WELL; second++) {
            var unused = silent.send(RECORD, (written, why) -> {});
            callbacks.getLast().onCompletion(null, null);
            found = silent.look(TimeUnit.SECONDS.toNanos(second), false);
        }
        assertThat(found).isEqualTo(Found.STUCK);
        assertThat(silent.stuck())
                .contains("the producer has had no answer for")
                .contains("to records for out");
    }

    @Test
    void client_thatAnswersEachRecordLate_isNotStuck() {
        ReplaceableProducer<String, String> silent = silent();
        for (int second = 1; second <= 60; second++) {
            var ignored = silent.send(RECORD, (written, why) -> {});
            if (second > 8) {
                callbacks.removeFirst().onCompletion(null, null);
            }
            assertThat(silent.look(TimeUnit.SECONDS.toNanos(second), false)).isEqualTo(Found.WELL);
        }
    }

    private ReplaceableProducer<String, String> silent() {
        return new ReplaceableProducer<>(
                this::silentClient, false, new ClientProgress(TimeUnit.SECONDS.toNanos(10), topics -> ""));
    }

    /** A client that never answers. Its close waits until its thread may end. */
    private static final class Hanging extends KafkaProducer<String, String> {

        private final CountDownLatch mayEnd = new CountDownLatch(1);

        Hanging() {
            super(Map.of("bootstrap.servers", "127.0.0.1:9"), new StringSerializer(), new StringSerializer());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            return new CompletableFuture<>();
        }

        @Override
        public void close(Duration patience) {
            try {
                mayEnd.await();
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
            super.close(patience);
        }
    }

    // Nobody checks the hanging client any more, so its records would wait forever.
    @Test
    void refused_byAClientThatHangsWithAnotherRecord_fails() {
        Hanging hanging = new Hanging();
        ReplaceableProducer<String, String> ofHanging =
                new ReplaceableProducer<>(() -> hanging, false, ClientProgress.NONE);
        int first = ofHanging.open();
        var ignored = ofHanging.send(RECORD, (written, why) -> {});
        try {
            assertThatThrownBy(() -> ofHanging.refused(first, new KafkaException("fatal"), Duration.ZERO))
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("what is not acknowledged is written again after a restart");
        } finally {
            hanging.mayEnd.countDown();
        }
    }

    @Test
    void replace_triesAgainForAsLongAsItsUserHasPatience_andCountsRefusalsOnly() {
        refusals.addAll(List.of(new KafkaException("1"), new TimeoutException("away"), new KafkaException("2")));
        List<Integer> counts = new ArrayList<>();
        assertThat(producer.replace((refusal, count) -> counts.add(count))).isSameAs(clients.getFirst());
        assertThat(counts).containsExactly(1, 1, 2);
        assertThat(producer.client()).isSameAs(clients.getFirst());
    }

    @Test
    void replace_withoutPatience_orInterrupted_fails() {
        refusals.add(new AuthenticationException("no"));
        assertThatThrownBy(() -> producer.replace((refusal, count) -> {
                    throw refusal;
                }))
                .isInstanceOf(AuthenticationException.class);
        refusals.add(new InterruptException("stop"));
        assertThatThrownBy(() -> producer.replace((refusal, count) -> {})).isInstanceOf(InterruptException.class);
        boolean ignored = Thread.interrupted();
        assertThat(producer.hasOpened()).isFalse();
    }
}
