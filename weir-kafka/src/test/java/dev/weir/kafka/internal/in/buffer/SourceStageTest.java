package dev.weir.kafka.internal.in.buffer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.RestProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SourceStageTest {

    private static final ConsumerSettings<byte[], byte[]> BYTES =
            ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();

    private final SteppingClock clock = new SteppingClock();
    private final RecordBuffer buffer = new RecordBuffer(clock);
    private final StageMeter meter = new StageMeter();
    private final AssignedPartition partition =
            new AssignedPartition(new TopicPartition("t", 0), new OffsetTracker(10, () -> {}), Long.MAX_VALUE);
    private final List<String> calls = new ArrayList<>();

    private <K, V> SourceStage<ConsumerRecord<K, V>> stage(ConsumerSettings<K, V> settings, boolean tracked) {
        return new SourceStage<>(buffer, settings, meter, tracked, () -> calls.add("taken"), () -> calls.add("closed"));
    }

    private static <K, V> ConsumerSettings<K, V> settings(Deserializer<K> keys, Deserializer<V> values) {
        return ConsumerSettings.builder(keys, values)
                .bootstrapServers("h:1")
                .groupId("g")
                .build();
    }

    private static <T> @Nullable Batch<T> pull(SourceStage<T> stage) {
        try {
            return stage.pull(10);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Adds a batch of records, each with its own token. Each value is the offset. */
    private void emit(int records) {
        Object[] values = new Object[records];
        long[] tokens = new long[records];
        for (int i = 0; i < records; i++) {
            values[i] = new Fetched.OfRecord(new ConsumerRecord<>(
                    "t", 0, i, "key".getBytes(UTF_8), String.valueOf(i).getBytes(UTF_8)));
            tokens[i] = partition.tracker().append(i, 1);
        }
        buffer.add(partition, Batch.of(values, records, partition.tracker(), tokens));
    }

    @Test
    void trackedRecords_keepTheirAcknowledgements() {
        emit(3);
        Batch<ConsumerRecord<byte[], byte[]>> batch = Objects.requireNonNull(pull(stage(BYTES, true)));
        assertThat(batch.size()).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
            assertThat(batch.get(i).offset()).isEqualTo(i);
            assertThat(new String(batch.get(i).value(), UTF_8)).isEqualTo(String.valueOf(i));
            assertThat(batch.target(i)).isSameAs(partition.tracker());
            assertThat(batch.token(i)).isEqualTo(i);
        }
        partition.advance();
        assertThat(partition.tracker().outstanding()).isEqualTo(3);
        assertThat(calls).isEmpty();
        assertThat(meter.elementsIn()).isEqualTo(3);
        assertThat(meter.elementsOut()).isEqualTo(3);
        assertThat(meter.busyNanos()).isPositive();
    }

    @Test
    void untrackedBatch_isAcknowledgedOnce_whenItIsPulled() {
        emit(3);
        Batch<ConsumerRecord<byte[], byte[]>> batch = Objects.requireNonNull(pull(stage(BYTES, false)));
        assertThat(batch.size()).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
            assertThat(batch.target(i)).isSameAs(AckTarget.NONE);
        }
        partition.advance();
        assertThat(partition.tracker().outstanding()).isEqualTo(2);
        assertThat(partition.tracker().isDone(0)).isTrue();
        assertThat(calls).containsExactly("taken");
    }

    @Test
    void pullWithoutRecords_takesNothing() {
        SourceStage<ConsumerRecord<byte[], byte[]>> stage = stage(BYTES, false);
        Batch<ConsumerRecord<byte[], byte[]>> none = Objects.requireNonNull(pull(stage));
        assertThat(none.isEmpty()).isTrue();
        assertThat(clock.nanos).isEqualTo(10);
        assertThat(calls).isEmpty();
        buffer.end();
        Batch<?> end = pull(stage);
        assertThat(end).isNull();
        assertThat(calls).isEmpty();
        stage.close();
        assertThat(calls).containsExactly("closed");
    }

    @Test
    void records_areDecoded_ifOneDeserializerIsNotForBytes() {
        emit(1);
        Batch<ConsumerRecord<byte[], String>> values = Objects.requireNonNull(
                pull(stage(settings(new ByteArrayDeserializer(), new StringDeserializer()), true)));
        assertThat(values.get(0).value()).isEqualTo("0");
        assertThat(new String(values.get(0).key(), UTF_8)).isEqualTo("key");
        emit(1);
        Batch<ConsumerRecord<String, byte[]>> keys = Objects.requireNonNull(
                pull(stage(settings(new StringDeserializer(), new ByteArrayDeserializer()), true)));
        assertThat(keys.get(0).key()).isEqualTo("key");
        assertThat(keys.token(0)).isEqualTo(1);
        assertThat(meter.isInPass()).isFalse();
        assertThat(meter.elementsOut()).isEqualTo(2);
    }

    @Test
    void decoding_isAPassOfTheStage_alsoIfItFails() {
        List<Boolean> inPass = new ArrayList<>();
        Deserializer<String> failing = (topic, bytes) -> {
            inPass.add(meter.isInPass());
            if (inPass.size() == 2) {
                throw new IllegalStateException("not a text");
            }
            return "text";
        };
        emit(3);
        assertThatThrownBy(() -> pull(stage(settings(new ByteArrayDeserializer(), failing), true)))
                .isInstanceOf(RecordDecodeException.class)
                .hasMessageContaining("t-0@1");
        assertThat(inPass).containsExactly(true, true);
        assertThat(meter.isInPass()).isFalse();
    }

    // Regression: the probe threw an exception, because the buffer's condition is not one of its lock.
    @Test
    void pipelineThatWaitsForRecords_isAtRest() throws InterruptedException {
        VirtualClock virtual = new VirtualClock();
        RecordBuffer waiting = new RecordBuffer(virtual);
        Source<ConsumerRecord<byte[], byte[]>> source = Source.custom(
                "records",
                context -> new SourceStage<ConsumerRecord<byte[], byte[]>>(
                        waiting, BYTES, context.meter(), true, () -> {}, () -> {}));
        try (RunningPipeline running = source.to(Sink.ignore()).on(virtual).run()) {
            assertThat(new RestProbe(running).awaitRest(Duration.ofSeconds(30))).isTrue();
            waiting.end();
            running.await();
        }
    }
}
