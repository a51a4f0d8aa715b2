package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Simulates one session, its workers and the credit tuner with an endless backlog. The seed determines the workers, the
 * handler time and the round trip. Once the credits have grown, workers must not wait.
 */
class CreditTunerSimulationTest {

    private static final double TICK = 0.1;
    private static final double WARM_UP = 3;
    private static final double END = 15;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void loop_fromASmallBeginning_keepsTheWorkersBusy(long seed) {
        Random random = new Random(seed);
        int workers = 1 + random.nextInt(300);
        double mean = 0.002 + random.nextDouble() * 0.02;
        double roundTrip = 0.001 + random.nextDouble() * 0.019;
        boolean steady = random.nextBoolean();
        DoubleSupplier handler = steady ? () -> mean : () -> -mean * Math.log(1 - random.nextDouble());
        Loop loop = new Loop(workers, roundTrip, handler);
        loop.runUntil(WARM_UP);
        double before = loop.busySeconds();
        loop.runUntil(END);
        assertThat((loop.busySeconds() - before) / workers / (END - WARM_UP))
                .as(
                        "seed %d: %d workers of %.1f ms, steady %s, round trip %.1f ms, plan %s",
                        seed, workers, mean * 1000, steady, roundTrip * 1000, loop.plan)
                .isGreaterThan(0.98);
        assertThat(loop.largestStep).isLessThanOrEqualTo(2);
        double rate = workers / mean;
        double moment = Math.max(rate * 0.07, Math.min(rate * 0.14, 1_200));
        assertThat(loop.plan.credits()).isLessThanOrEqualTo((int) (workers + moment) + 1);
    }

    private record Event(double at, long order, Runnable what) {}

    /** One member with one session. Confined to the test's thread. */
    private static final class Loop {

        private final int workers;
        private final double roundTrip;
        private final DoubleSupplier handler;
        private final PriorityQueue<Event> events = new PriorityQueue<>(
                (a, b) -> a.at == b.at ? Long.compare(a.order, b.order) : Double.compare(a.at, b.at));

        private double now;
        private long made;
        private int busy;
        private int waiting;
        private int asked;
        private long settled;
        private double busySum;
        private double starved;
        private double sinceNow;
        private Plan plan;
        private double largestStep;
        private long lastSettled;
        private double lastStarved;

        Loop(int workers, double roundTrip, DoubleSupplier handler) {
            this.workers = workers;
            this.roundTrip = roundTrip;
            this.handler = handler;
            this.plan = CreditTuner.first(workers);
            fetch();
            at(TICK, this::tick);
        }

        private void at(double time, Runnable what) {
            events.add(new Event(time, made++, what));
        }

        void runUntil(double end) {
            while (!events.isEmpty() && events.element().at <= end) {
                Event next = events.remove();
                now = next.at;
                account();
                next.what.run();
            }
            now = end;
            account();
        }

        private void account() {
            double passed = now - sinceNow;
            busySum += passed * busy;
            starved += waiting == 0 && busy < workers ? passed : 0;
            sinceNow = now;
        }

        double busySeconds() {
            return busySum;
        }

        /**
         * Sends one request at a time, as soon as a quarter of the credits or half of the buffer is free, whichever is
         * more.
         */
        private void fetch() {
            int open = busy + waiting;
            int free = plan.credits() - open;
            int worth = Math.max(plan.credits() / 4, (plan.credits() - workers) / 2);
            if (asked == 0 && free > 0 && (free >= worth || open == 0)) {
                asked = free;
                at(now + roundTrip, this::arrived);
            }
        }

        private void arrived() {
            waiting += asked;
            asked = 0;
            work();
        }

        private void work() {
            while (busy < workers && waiting > 0) {
                waiting--;
                busy++;
                at(now + handler.getAsDouble(), this::done);
            }
            fetch();
        }

        private void done() {
            busy--;
            settled++;
            work();
        }

        private void tick() {
            Look look = new Look(
                    TICK,
                    settled - lastSettled,
                    Math.min(1, (starved - lastStarved) / TICK),
                    0,
                    roundTrip,
                    0.01,
                    30,
                    2_000,
                    6);
            lastSettled = settled;
            lastStarved = starved;
            Plan next = CreditTuner.next(plan, look, workers, roundTrip, 0);
            largestStep = Math.max(largestStep, next.credits() / (double) plan.credits());
            plan = next;
            fetch();
            at(now + TICK, this::tick);
        }
    }
}
