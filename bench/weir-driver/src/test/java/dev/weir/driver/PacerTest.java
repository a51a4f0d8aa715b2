package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PacerTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** The plan of 1,000 records per second began one second ago. The sender was blocked until now. */
    @Test
    void recordsOfAHeldUpSender_waitedFromTheirPlannedTimesOn_andNoneIsDropped() throws Exception {
        long startNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);
        Pass pass = pass(startNanos);
        Pacer pacer = pass.pacer();
        int sent = 0;
        while (sent < 1_000 && pacer.isDue()) {
            long ticket = pacer.next(sent % 2);
            assertThat(Pacer.nanosAfterStart(ticket)).isEqualTo(sent * MILLI);
            pass.acknowledged(ticket, 23);
            sent++;
        }
        assertThat(sent).isEqualTo(1_000);
        List<String> timings = pass.lateness().take();
        assertThat(timings).hasSize(3);
        Histogram second = decoded(timings.get(1));
        assertThat(second.getTotalCount()).isEqualTo(500);
        assertThat(second.getMaxValue()).isGreaterThanOrEqualTo(990 * MILLI);
        Histogram lateness = decoded(timings.get(2));
        assertThat(lateness.getTotalCount()).isEqualTo(1_000);
        assertThat(lateness.getMaxValue()).as("its thread never slept").isLessThan(1_000);
    }

    /** The thread of the first record wakes up 100 ms late. A garbage collection took 90 ms of this time. */
    @Test
    void sleepIntoACollection_isNoLateness_butInTheLatencyOfAllThatWaited() throws Exception {
        StoppedClock clock = new StoppedClock(100 * MILLI);
        clock.pauses.add(new PacerClock.Pause(clock.start + 2 * MILLI, clock.start + 92 * MILLI));
        List<Histogram> taken = sentAfter100Millis(clock);
        assertThat(taken.get(1).getMaxValue()).isBetween(9 * MILLI, 11 * MILLI);
        assertThat(taken.get(0).getMaxValue()).isGreaterThanOrEqualTo(99 * MILLI);
        assertThat(taken.get(0).getTotalCount()).isEqualTo(101);
    }

    /**
     * The first sleep has no collection, and the second begins after a collection has ended. Both count as lateness.
     */
    @Test
    void sleepThatNoCollectionExplains_isLateness() throws Exception {
        StoppedClock clock = new StoppedClock(100 * MILLI);
        assertThat(sentAfter100Millis(clock).get(1).getMaxValue()).isGreaterThanOrEqualTo(99 * MILLI);
        StoppedClock later = new StoppedClock(100 * MILLI);
        later.pauses.add(new PacerClock.Pause(later.start - 90 * MILLI, later.start));
        assertThat(sentAfter100Millis(later).get(1).getMaxValue()).isGreaterThanOrEqualTo(99 * MILLI);
    }

    @Test
    void collectionOfThisProcess_isFoundOnItsClock() {
        PacerClock clock = new PacerClock.OfProcess();
        long before = System.nanoTime();
        System.gc();
        long after = System.nanoTime();
        assertThat(clock.pauses())
                .anySatisfy(pause -> assertThat(pause.within(
                                before - 2 * PacerClock.OfProcess.ROUNDING_NANOS,
                                after + 2 * PacerClock.OfProcess.ROUNDING_NANOS))
                        .isEqualTo(pause.toNanos() - pause.fromNanos()));
    }

    /** Returns the response times and the lateness of all records. The first sleep ends 100 ms late. */
    private static List<Histogram> sentAfter100Millis(StoppedClock clock) throws Exception {
        Pass pass = pass(clock.start);
        Pacer pacer = new Pacer(pass, clock);
        for (int sent = 0; sent == 0 || pacer.isDue(); sent++) {
            pass.acknowledged(pacer.next(0), 23);
        }
        List<String> timings = pass.lateness().take();
        return List.of(decoded(timings.get(0)), decoded(timings.get(2)));
    }

    /** A clock that began one second ago. Every sleep takes too long. */
    private static final class StoppedClock implements PacerClock {
        private final long start = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);
        private final List<Pause> pauses = new ArrayList<>();
        private final long tooLongNanos;
        private long now = start - MILLI;

        StoppedClock(long tooLongNanos) {
            this.tooLongNanos = tooLongNanos;
        }

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public long at(long nanoTime) {
            return nanoTime;
        }

        @Override
        public void park(long nanos) {
            now += nanos + tooLongNanos;
        }

        @Override
        public List<Pause> pauses() {
            return pauses;
        }
    }

    @Test
    void nextRecord_isGivenWhenItIsDue_andNotBefore() {
        StoppedClock clock = new StoppedClock(0);
        clock.now = clock.start - 20 * MILLI;
        Pacer pacer = new Pacer(pass(clock.start), clock);
        assertThat(pacer.isDue()).isFalse();
        assertThat(pacer.await(clock.now + MILLI)).isFalse();
        assertThat(clock.now).isEqualTo(clock.start - 19 * MILLI);
        long ticket = pacer.next(1);
        assertThat(clock.now).isEqualTo(clock.start);
        assertThat(Pacer.partition(ticket)).isEqualTo(1);
        assertThat(Pacer.nanosAfterStart(ticket)).isZero();
    }

    @Test
    void nextRecord_byTheClockOfTheProcess_isNotGivenBefore() {
        long startNanos = System.nanoTime() + 20 * MILLI;
        pass(startNanos).pacer().next(1);
        assertThat(System.nanoTime() - startNanos).isNotNegative();
    }

    @Test
    void withoutAPlan_eachRecordIsDueNow_andNotTimed() throws Exception {
        Pass pass = new Pass(
                new Command.Configure("", Map.of(), "t", 2, 10, 23, Scenario.PRODUCE, Map.of(), Map.of(), 1_000),
                new Command.Start("g", 0, 10));
        assertThat(pass.pacer().await(0)).isTrue();
        long ticket = pass.pacer().next(1);
        assertThat(ticket).isZero();
        pass.acknowledged(ticket, 23);
        assertThat(pass.course().mark().records()).isOne();
        assertThat(pass.lateness().take()).isEmpty();
    }

    private static Pass pass(long startNanos) {
        Map<String, String> plan = Map.of(SendPlan.RATE, "1000", SendPlan.START, Long.toString(startNanos));
        return new Pass(
                new Command.Configure("", Map.of(), "t", 2, 1_000, 23, Scenario.PRODUCE, Map.of(), plan, 1_000),
                new Command.Start("g", 0, 10));
    }

    private static Histogram decoded(String text) throws Exception {
        return Histogram.decodeFromCompressedByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    }
}
