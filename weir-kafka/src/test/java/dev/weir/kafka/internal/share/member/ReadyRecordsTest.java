package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadyRecordsTest {
    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);

    /** The pipeline waits for a slow record. The waiting time must count before the wait ends. */
    @Test
    void waitThatGoesOn_counts() throws Exception {
        assertThat(ready.starvedNanos()).isZero();
        Thread pipeline = Thread.ofVirtual().start(() -> {
            try {
                assertThat(ready.take(Stage.NEVER, new StageMeter())).isNull();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        until(() -> assertThat(ready.starvedNanos()).isPositive());
        ready.end();
        pipeline.join();
        long over = ready.starvedNanos();
        assertThat(over).isPositive();
        assertThat(ready.starvedNanos()).isEqualTo(over);
    }

    private static AcquiredRecord record(long offset, int delivery) {
        return new AcquiredRecord(ShareClientStub.record(offset, delivery), () -> 5, settled -> {});
    }

    private List<AcquiredRecord> put(int records) {
        List<AcquiredRecord> all = IntStream.range(0, records)
                .mapToObj(offset -> record(offset, 1))
                .toList();
        ready.put(all);
        return all;
    }

    /** Takes a record without waiting; null at the end. */
    private @Nullable Batch<AcquiredRecord> take() throws InterruptedException {
        return ready.take(System.nanoTime(), new StageMeter());
    }

    private List<AcquiredRecord> taken() throws InterruptedException {
        Batch<AcquiredRecord> batch = Objects.requireNonNull(take());
        List<AcquiredRecord> all = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            all.add(batch.get(i));
        }
        return all;
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @Test
    void records_areTakenInOrder_64AtATime() throws Exception {
        List<AcquiredRecord> all = put(70);
        assertThat(all).allMatch(AcquiredRecord::isOffered);
        assertThat(taken()).containsExactlyElementsOf(all.subList(0, 64));
        assertThat(ready.size()).isEqualTo(6);
        assertThat(taken()).containsExactlyElementsOf(all.subList(64, 70));
        assertThat(taken()).as("at the deadline").isEmpty();
        assertThat(all).noneMatch(AcquiredRecord::giveBack);
    }

    @Test
    void recordThatWentBack_isNotTaken() throws Exception {
        List<AcquiredRecord> all = put(3);
        assertThat(all.get(0).giveBack()).isTrue();
        assertThat(all.get(2).giveBack()).isTrue();
        assertThat(taken()).containsExactly(all.get(1));
        assertThat(ready.size()).isZero();
    }

    /** The group would not deliver a record again after its last delivery, so such records are still handled. */
    @Test
    void afterTheEnd_onlyLastDeliveriesAreTaken() throws Exception {
        AcquiredRecord last = record(1, 5);
        ready.put(List.of(record(0, 1), last, record(2, 4)));
        ready.end();
        assertThat(ready.isEnded()).isTrue();
        assertThat(ready.isOver()).isFalse();
        assertThat(taken()).containsExactly(last);
        assertThat(ready.isOver()).as("it has not been told").isFalse();
        assertThat(take()).isNull();
        assertThat(ready.isOver()).isTrue();
    }

    // ---- Demand ----------------------------------------------------------------------------------------------------

    @Test
    void demand_isThereWhileFewRecordsWait() throws Exception {
        assertThat(ready.isWanted()).isTrue();
        put(1);
        assertThat(ready.isWanted()).isFalse();
        assertThat(ready.awaitDemand(0)).isFalse();
        ready.lowWater(2);
        assertThat(ready.isWanted()).isTrue();
        put(1);
        assertThat(ready.isWanted()).isFalse();
        ready.lowWater(0);
        assertThat(taken()).hasSize(2);
        assertThat(ready.isWanted()).as("one at least").isTrue();
        assertThat(ready.awaitDemand(0)).isTrue();
        ready.end();
        assertThat(ready.isWanted()).isFalse();
        assertThat(ready.awaitDemand(Long.MAX_VALUE)).isFalse();
    }

    /** A stalled pipeline must not use up the deliveries of records that it never processes. */
    @Test
    void recordsThatWereGivenBackUnseen_endTheDemand_untilThePipelineTakesAgain() throws Exception {
        ready.lowWater(10);
        List<AcquiredRecord> all = put(2);
        assertThat(all.get(0).giveBack()).isTrue();
        ready.passedBy();
        assertThat(ready.size()).as("they are forgotten").isEqualTo(1);
        assertThat(ready.isWanted()).isFalse();
        assertThat(taken()).containsExactly(all.get(1));
        assertThat(ready.isWanted()).isTrue();
        ready.passedBy();
        assertThat(taken()).isEmpty();
        assertThat(ready.isWanted()).as("nothing was taken").isFalse();
    }

    @Test
    void pipelineThatWaits_isDemand_thoughRecordsWentBackUnseen() throws Exception {
        ready.passedBy();
        assertThat(ready.isWanted()).isFalse();
        FutureTask<Batch<AcquiredRecord>> pipeline =
                new FutureTask<>(() -> Objects.requireNonNull(ready.take(Stage.NEVER, new StageMeter())));
        Thread.ofVirtual().start(pipeline);
        assertThat(ready.awaitDemand(TimeUnit.SECONDS.toNanos(30))).isTrue();
        put(2);
        assertThat(pipeline.get(30, TimeUnit.SECONDS).size()).isEqualTo(2);
        assertThat(ready.isWanted()).as("none waits").isTrue();
        put(1);
        assertThat(ready.isWanted()).as("nobody waits").isFalse();
    }

    @Test
    void demandThatComes_wakesTheConsumer() throws Exception {
        put(1);
        FutureTask<Boolean> consumer = new FutureTask<>(() -> ready.awaitDemand(TimeUnit.HOURS.toNanos(1)));
        Thread thread = Thread.ofPlatform().daemon().start(consumer);
        until(() -> assertThat(thread.getState()).isEqualTo(Thread.State.TIMED_WAITING));
        assertThat(taken()).hasSize(1);
        assertThat(consumer.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
