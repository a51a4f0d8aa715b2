package dev.weir.kafka.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ResultStageTest {

    private final List<String> claims = new ArrayList<>();
    private final BareContext context = new BareContext();
    private final MockProducer<String, String> client =
            new MockProducer<>(false, null, new StringSerializer(), new StringSerializer());
    private final Queue<Batch<Message<String, String, Integer>>> batches = new ArrayDeque<>();

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            claims.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            claims.add("abandon " + token);
        }

        @Override
        public void retain(long token, int more) {
            claims.add("retain " + token);
        }

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    private final Stage<Message<String, String, Integer>> upstream = new Stage<>() {
        @Override
        public @Nullable Batch<Message<String, String, Integer>> pull(long deadlineNanos) {
            return batches.poll();
        }

        @Override
        public void close() {
            claims.add("closed");
        }
    };

    private Stage<Produced<Integer>> stage(WriteFailures failures, int maxInHand) {
        var settings = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers("h:1")
                .build();
        return ResultStage.sharing(client, settings, failures, maxInHand, upstream, context);
    }

    /** Messages with so many records each; the record's value is its message and its number in there. */
    private void messages(int... records) {
        Batch<Message<String, String, Integer>> batch = new Batch<>(records.length);
        for (int i = 0; i < records.length; i++) {
            int message = i;
            batch.add(
                    Message.multi(
                            IntStream.range(0, records[i])
                                    .mapToObj(n -> new ProducerRecord<>("out", "k", message + "." + n))
                                    .toList(),
                            message),
                    target,
                    i);
        }
        batches.add(batch);
    }

    private List<Integer> pulled(Stage<Produced<Integer>> stage) throws InterruptedException {
        List<Integer> results = new ArrayList<>();
        Batch<Produced<Integer>> batch = Objects.requireNonNull(stage.pull(System.nanoTime()));
        for (int i = 0; i < batch.size(); i++) {
            assertThat(batch.token(i)).isEqualTo((long) batch.get(i).passThrough());
            results.add(batch.get(i).passThrough());
        }
        return results;
    }

    private void pullTwice(Stage<Produced<Integer>> stage) throws InterruptedException {
        assertThat(pulled(stage)).isEmpty();
        assertThat(pulled(stage)).isEmpty();
    }

    @Test
    void results_comeInTheOrderOfTheMessages_withTheirMetadata() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1, 0, 2);
        pull(stage, 3);
        assertThat(client.history()).extracting(ProducerRecord::value).containsExactly("0.0", "2.0", "2.1");
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0, 1);
        client.completeNext();
        assertThat(pulled(stage)).isEmpty();
        client.completeNext();
        Batch<Produced<Integer>> last = Objects.requireNonNull(stage.pull(Stage.NEVER));
        assertThat(last.get(0).metadata()).extracting(RecordMetadata::offset).containsExactly(1L, 2L);
        assertThat(stage.pull(Stage.NEVER)).isNull();
        assertThat(claims).as("claims go on with the results").isEmpty();
    }

    /** Each pull whose deadline is over does one step. */
    private void pull(Stage<Produced<Integer>> stage, int messages) throws InterruptedException {
        for (int i = 0; i <= messages; i++) {
            assertThat(pulled(stage)).isEmpty();
        }
    }

    @Test
    void messages_beyondTheBound_areNotSent() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 2);
        messages(1, 1, 1);
        pull(stage, 5);
        assertThat(client.history()).hasSize(2);
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0);
        pullTwice(stage);
        assertThat(client.history()).hasSize(3);
    }

    @Test
    void refusedRecord_failsTheRunAfterTheResultsBeforeIt_andCloseAbandonsTheRest() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1, 1, 1, 1);
        pull(stage, 3);
        client.completeNext();
        client.errorNext(new RecordTooLargeException("too large"));
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0);
        assertThatThrownBy(() -> stage.pull(Stage.NEVER))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("in-0@1")
                .hasMessageContaining("too large");
        stage.close();
        assertThat(claims).containsExactly("abandon 1", "abandon 2", "abandon 3", "closed");
    }

    @Test
    void refusedRecords_underARuleToSkip_areAcknowledgedOncePerClaim() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.skip(), 100);
        messages(3, 1);
        pull(stage, 2);
        client.errorNext(new RecordTooLargeException("too large"));
        client.completeNext();
        client.errorNext(new RecordTooLargeException("too large"));
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(1);
        assertThat(claims).containsExactly("retain 0", "ack 0", "ack 0");
    }

    @Test
    void failureOfTheProducer_isNotForARule() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.skip(), 100);
        messages(1);
        pull(stage, 1);
        client.errorNext(new AuthenticationException("who are you"));
        assertThatThrownBy(() -> stage.pull(Stage.NEVER)).isInstanceOf(ProduceException.class);
        assertThat(claims).isEmpty();
    }
}
