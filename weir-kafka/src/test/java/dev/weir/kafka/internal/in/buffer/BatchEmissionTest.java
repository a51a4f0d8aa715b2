package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.lean.spi.InvariantException;
import dev.weir.stream.spi.Clock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Tests the invariants that are checked before records are emitted. */
class BatchEmissionTest {

    private static final TopicPartition ID = new TopicPartition("t", 0);

    private final RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final AssignedPartition partition =
            new AssignedPartition(ID, new OffsetTracker(100, () -> {}), Long.MAX_VALUE);
    private ConsumerPhase phase = ConsumerPhase.RUNNING;
    private final BatchEmission emission = new BatchEmission(
            new ConsumerPlan(Subscription.topics("t"), Map.of(), new Delivery.Committable(), null, Set.of()),
            null,
            RecordOutlets.single(buffer),
            new Owner());

    BatchEmissionTest() {
        partition.goOutBy(buffer);
    }

    private void emit(long... offsets) {
        emission.emit(
                partition,
                LongStream.of(offsets)
                        .<Fetched>mapToObj(offset ->
                                new Fetched.OfRecord(new ConsumerRecord<>("t", 0, offset, new byte[0], new byte[0])))
                        .toList());
    }

    private void assertViolation(int number, String words, long... offsets) {
        int before = buffer.records();
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> emit(offsets))
                .withMessageContaining("invariant " + number + " does not hold: " + words)
                .withMessageContaining("t-0@" + offsets[0]);
        assertThat(buffer.records()).as("nothing goes out").isEqualTo(before);
    }

    @Test
    void recordsThatGoBack_violateAnInvariant() {
        emit(10, 11, 20);
        assertViolation(15, "elements of a partition enter the pipeline in order", 20, 21);
        assertViolation(15, "elements of a partition enter the pipeline in order", 0);
        emit(21);
        emit(500, 501);
        assertThat(buffer.records()).isEqualTo(6);
    }

    @Test
    void recordsBeforeThoseThatWereLeftOut_violateAnInvariant() {
        emit(10);
        emission.leaveOut(partition, 11, 30);
        assertViolation(15, "elements of a partition enter the pipeline in order", 29);
        emit(30);
        assertThat(buffer.records()).isEqualTo(2);
    }

    @Test
    void recordsOfAPartitionThatWasTakenAway_violateAnInvariant_unlessNothingGoesOutAnyMore() {
        emit(0);
        partition.tracker().revoke();
        assertViolation(12, "nothing of a partition is emitted after it was taken away", 1);
        phase = ConsumerPhase.CLOSING;
        emit(1);
        assertThat(buffer.records()).isEqualTo(1);
        assertThat(partition.firstDropped()).isEqualTo(1);
    }

    private final class Owner implements OwnerThread {

        @Override
        public void execute(Runnable request) {
            request.run();
        }

        @Override
        public void wake() {}

        @Override
        public ConsumerPhase phase() {
            return phase;
        }

        @Override
        public void fail(Throwable failure) {}

        @Override
        public long withinPatience(long nanos) {
            return nanos;
        }

        @Override
        public boolean awaitOrEnd(CompletableFuture<?> done) {
            return true;
        }
    }
}
