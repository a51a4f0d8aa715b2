package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.internal.BareContext;
import dev.weir.stream.Ordering;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when records are emitted as a batch. */
class BatchStageTest {

    private static final long WITHIN_NANOS = Duration.ofSeconds(1).toNanos();

    private final VirtualClock clock = new VirtualClock();
    private final List<String> ended = new ArrayList<>();
    private final Set<Long> lost = new HashSet<>();
    private final Queue<Batch<HandlerJob<byte[], byte[]>>> above = new ArrayDeque<>();

    /** The deadlines of the calls upstream. */
    private final List<Long> deadlines = new ArrayList<>();

    private boolean endsAbove;
    private boolean closedAbove;
    private int next;

    private final BareContext context = new BareContext() {
        @Override
        public Clock clock() {
            return clock;
        }
    };

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            ended.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            ended.add("abandon " + token);
        }

        @Override
        public boolean isRevoked(long token) {
            return lost.contains(token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            ended.add("drop " + token);
            return true;
        }

        @Override
        public void retain(long token, int more) {
            throw new AssertionError("nothing becomes two here");
        }
    };

    private BatchStage<byte[], byte[]> stage(int max, Ordering<HandlerJob<byte[], byte[]>> ordering, int queues) {
        Stage<HandlerJob<byte[], byte[]>> upstream = new Stage<>() {
            @Override
            public @Nullable Batch<HandlerJob<byte[], byte[]>> pull(long deadlineNanos) {
                deadlines.add(deadlineNanos);
                Batch<HandlerJob<byte[], byte[]>> pulled = above.poll();
                return pulled == null && !endsAbove ? new Batch<>(0) : pulled;
            }

            @Override
            public void close() {
                closedAbove = true;
            }
        };
        return new BatchStage<>(upstream, context, new BatchStage.Limits<>(max, WITHIN_NANOS, ordering, queues));
    }

    /** Makes upstream emit records with these keys. A negative key stands for a record without a key. */
    private void arrive(int... keys) {
        Batch<HandlerJob<byte[], byte[]>> batch = new Batch<>(0);
        for (int key : keys) {
            var record =
                    new ConsumerRecord<>("t", 0, next, Integer.toString(key).getBytes(UTF_8), new byte[0]);
            batch.add(new HandlerJob<>(new Decoded.Read<>(record, record)), target, next++);
        }
        above.add(batch);
    }

    private static Ordering<HandlerJob<byte[], byte[]>> byKey() {
        return Ordering.byHash(job -> {
            int key = Integer.parseInt(new String(job.raw().key(), UTF_8));
            return key < 0 ? Ordering.NO_KEY : key;
        });
    }

    /** Pulls without waiting. Returns the offsets in each emitted batch. */
    private List<List<Long>> pull(BatchStage<byte[], byte[]> stage) throws InterruptedException {
        return pull(stage, clock.nanoTime());
    }

    private static List<List<Long>> pull(BatchStage<byte[], byte[]> stage, long deadlineNanos)
            throws InterruptedException {
        Batch<BatchJob<byte[], byte[]>> pulled = Objects.requireNonNull(stage.pull(deadlineNanos));
        List<List<Long>> batches = new ArrayList<>();
        for (int i = 0; i < pulled.size(); i++) {
            batches.add(pulled.get(i).members().stream()
                    .map(member -> member.job.raw().offset())
                    .toList());
        }
        return batches;
    }

    @Test
    void batchThatIsNotFull_isEmitted_whenItsFirstRecordHasWaited() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(10, Ordering.unordered(), 1);
        arrive(0);
        assertThat(pull(stage)).isEmpty();
        clock.advance(Duration.ofMillis(400));
        arrive(0);
        assertThat(pull(stage)).isEmpty();
        assertThat(context.meter().elementsHeld()).isEqualTo(2);
        clock.advance(Duration.ofMillis(599));
        assertThat(pull(stage)).isEmpty();
        clock.advance(Duration.ofMillis(1));
        assertThat(pull(stage)).containsExactly(List.of(0L, 1L));
        assertThat(context.meter().elementsHeld()).isZero();
        arrive(0);
        assertThat(pull(stage)).isEmpty();
        clock.advance(Duration.ofMillis(999));
        assertThat(pull(stage)).as("the next one waits as long").isEmpty();
    }

    @Test
    void batchThatIsFull_isEmittedAtOnce_andTheOthersWait() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(2, Ordering.unordered(), 1);
        arrive(0, 0, 0, 0, 0);
        assertThat(pull(stage)).containsExactly(List.of(0L, 1L), List.of(2L, 3L));
        assertThat(context.meter().elementsHeld()).isEqualTo(1);
        assertThat(context.meter().elementsOut()).isEqualTo(2);
        assertThat(context.meter().elementsIn()).isEqualTo(5);
        endsAbove = true;
        assertThat(pull(stage, Stage.NEVER)).containsExactly(List.of(4L));
        assertThat(stage.pull(Stage.NEVER)).isNull();
    }

    @Test
    void batchesWithoutKeys_areFilledOneAfterTheOther() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(2, byKey(), 3);
        arrive(-1, -1, -1);
        assertThat(pull(stage)).containsExactly(List.of(0L, 1L));
        arrive(-1, -1, -1, -1);
        assertThat(pull(stage)).containsExactly(List.of(2L, 3L), List.of(4L, 5L));
    }

    @Test
    void recordsOfAKey_areInTheSameQueue() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(3, byKey(), 4);
        for (int key = 0; key < 20; key++) {
            arrive(key, key, key);
        }
        List<List<Long>> batches = new ArrayList<>();
        endsAbove = true;
        for (var out = stage.pull(Stage.NEVER); out != null; out = stage.pull(Stage.NEVER)) {
            for (int i = 0; i < out.size(); i++) {
                BatchJob<byte[], byte[]> batch = out.get(i);
                assertThat(batch.orderingKey()).isBetween(0L, 3L);
                batches.add(batch.members().stream().map(member -> member.key).toList());
            }
        }
        assertThat(batches)
                .hasSize(20)
                .allSatisfy(keys -> assertThat(keys).hasSize(3).containsOnly(keys.getFirst()));
    }

    /** It must wake up for its own deadlines, and to look for lost records. */
    @Test
    void stageWithGatheredRecords_waitsUpstreamNoLongerThanTheyMay() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(10, Ordering.unordered(), 1);
        long start = clock.nanoTime();
        arrive(0);
        assertThat(pull(stage)).isEmpty();
        above.add(new Batch<>(0));
        endsAbove = true;
        assertThat(Objects.requireNonNull(stage.pull(Stage.NEVER)).size()).isEqualTo(1);
        assertThat(deadlines)
                .containsExactly(
                        start,
                        start + Duration.ofMillis(100).toNanos(),
                        start + Duration.ofMillis(100).toNanos());
        assertThat(stage.pull(Stage.NEVER)).isNull();
    }

    @Test
    void recordThatIsLost_leavesItsBatch_withinATenthOfASecond() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(10, Ordering.unordered(), 1);
        arrive(0, 0);
        assertThat(pull(stage)).isEmpty();
        lost.add(0L);
        clock.advance(Duration.ofMillis(99));
        assertThat(pull(stage)).isEmpty();
        assertThat(ended).isEmpty();
        clock.advance(Duration.ofMillis(1));
        assertThat(pull(stage)).isEmpty();
        assertThat(ended).containsExactly("drop 0");
        assertThat(context.meter().elementsHeld()).isEqualTo(1);
        lost.add(1L);
        endsAbove = true;
        assertThat(stage.pull(Stage.NEVER)).as("no batch without records").isNull();
        assertThat(ended).containsExactly("drop 0", "drop 1");
        assertThat(context.meter().elementsHeld()).isZero();
    }

    @Test
    void keyFunctionThatThrows_abandonsTheRecordsFromThereOn() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(
                10,
                Ordering.byHash(job -> {
                    if (job.raw().offset() == 1) {
                        throw new IllegalStateException("planted");
                    }
                    return 0;
                }),
                1);
        arrive(0, 0, 0);
        assertThat(pull(stage, Stage.NEVER)).as("gathered before").containsExactly(List.of(0L));
        assertThat(ended).containsExactly("abandon 1", "abandon 2");
        assertThatThrownBy(() -> stage.pull(Stage.NEVER)).hasMessage("planted");
        stage.close();
        assertThat(closedAbove).isTrue();
        assertThat(ended).hasSize(2);
    }

    @Test
    void errorAbove_isThrownAsItIs() {
        BatchStage<byte[], byte[]> stage = stage(
                10,
                Ordering.byHash(job -> {
                    throw new StackOverflowError("planted");
                }),
                1);
        arrive(0);
        assertThatThrownBy(() -> stage.pull(Stage.NEVER)).isInstanceOf(StackOverflowError.class);
    }

    @Test
    void stageThatIsClosed_holdsNothing() throws Exception {
        BatchStage<byte[], byte[]> stage = stage(10, Ordering.unordered(), 1);
        arrive(0, 0);
        assertThat(pull(stage)).isEmpty();
        stage.close();
        assertThat(ended).containsExactly("abandon 0", "abandon 1");
        assertThat(context.meter().elementsHeld()).isZero();
        assertThat(closedAbove).isTrue();
    }
}
