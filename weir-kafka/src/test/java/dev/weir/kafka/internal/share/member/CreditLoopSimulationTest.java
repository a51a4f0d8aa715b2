package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.member.ShareConsumerTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Share consumers, workers and the tuner against a backlog that does not end, in simulated time: whatever workers,
 * handlers and round trip the seed draws, the loop settles where the workers hardly wait, and gets there in steps.
 */
class CreditLoopSimulationTest {

    private static final int MAX_LANES = 16;
    private static final double TICK = 0.5;
    private static final double WARM_UP = 20;
    private static final double END = 40;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void loop_fromASmallBeginning_keepsTheWorkersBusy(long seed) {
        Random random = new Random(seed);
        int workers = 1 + random.nextInt(300);
        double mean = 0.001 + random.nextDouble() * 0.02;
        double roundTrip = 0.001 + random.nextDouble() * 0.009;
        boolean steady = random.nextBoolean();
        DoubleSupplier handler = steady ? () -> mean : () -> -mean * Math.log(1 - random.nextDouble());
        Loop loop = new Loop(workers, roundTrip, handler);
        loop.runUntil(WARM_UP);
        long before = loop.settled;
        loop.runUntil(END);
        double ceiling = workers / mean * (END - WARM_UP);
        assertThat((loop.settled - before) / ceiling)
                .as(
                        "seed %d: %d workers of %.1f ms, steady %s, round trip %.1f ms, plan %s",
                        seed, workers, mean * 1000, steady, roundTrip * 1000, loop.plan)
                .isGreaterThan(0.9);
        assertThat(loop.plan.lanes()).isLessThanOrEqualTo(MAX_LANES);
        assertThat(loop.largestStep).isLessThanOrEqualTo(2.5);
    }

    private static final class SimulatedLane {
        private final int size;
        private boolean retired;
        private boolean busy;
        private int open;
        private double roundSince;

        SimulatedLane(int size) {
            this.size = size;
        }
    }

    private record Event(double at, long order, Runnable what) {}

    /** One member. Confined to the test's thread. */
    private static final class Loop {

        private final int workers;
        private final double roundTrip;
        private final DoubleSupplier handler;
        private final PriorityQueue<Event> events = new PriorityQueue<>(
                (a, b) -> a.at == b.at ? Long.compare(a.order, b.order) : Double.compare(a.at, b.at));
        private final List<SimulatedLane> lanes = new ArrayList<>();
        private final ArrayDeque<SimulatedLane> waiting = new ArrayDeque<>();

        private double now;
        private long made;
        private int idle;
        private long settled;
        private double starvedSince;
        private double starved;
        private long rounds;
        private double roundSeconds;
        private double noDemand;
        private Plan plan;
        private double largestStep;

        Loop(int workers, double roundTrip, DoubleSupplier handler) {
            this.workers = workers;
            this.roundTrip = roundTrip;
            this.handler = handler;
            this.idle = workers;
            this.plan = ShareConsumerTuner.first(workers, MAX_LANES);
            follow();
            at(TICK, this::tick);
        }

        private void at(double time, Runnable what) {
            events.add(new Event(time, made++, what));
        }

        void runUntil(double end) {
            while (!events.isEmpty() && events.element().at <= end) {
                Event next = events.remove();
                now = next.at;
                next.what.run();
            }
        }

        private void follow() {
            for (SimulatedLane lane : lanes) {
                if (lane.size != plan.pollRecords()) {
                    lane.retired = true;
                    break;
                }
            }
            while (lanes.stream().filter(lane -> !lane.retired).count() < plan.lanes()) {
                lanes.add(new SimulatedLane(plan.pollRecords()));
            }
            long tooMany = lanes.stream().filter(lane -> !lane.retired).count() - plan.lanes();
            for (Iterator<SimulatedLane> each = lanes.iterator(); tooMany > 0 && each.hasNext(); ) {
                SimulatedLane lane = each.next();
                if (!lane.retired) {
                    lane.retired = true;
                    tooMany--;
                }
            }
            lanes.removeIf(lane -> lane.retired && !lane.busy);
            fetch();
        }

        private void fetch() {
            for (SimulatedLane lane : lanes) {
                if (!lane.busy && !lane.retired && waiting.size() < plan.pollRecords()) {
                    lane.busy = true;
                    at(now + roundTrip, () -> acquired(lane));
                }
            }
        }

        private void acquired(SimulatedLane lane) {
            lane.open = lane.size;
            lane.roundSince = now;
            for (int i = 0; i < lane.size; i++) {
                waiting.add(lane);
            }
            work();
        }

        private void work() {
            if (idle > 0 && !waiting.isEmpty()) {
                starved += now - starvedSince;
            }
            while (idle > 0 && !waiting.isEmpty()) {
                SimulatedLane lane = waiting.remove();
                idle--;
                at(now + handler.getAsDouble(), () -> done(lane));
            }
            starvedSince = now;
            fetch();
        }

        private void done(SimulatedLane lane) {
            if (idle > 0 && waiting.isEmpty()) {
                starved += now - starvedSince;
            }
            settled++;
            idle++;
            starvedSince = now;
            if (--lane.open == 0) {
                rounds++;
                roundSeconds += now - lane.roundSince;
                lane.busy = false;
                if (lane.retired) {
                    lanes.remove(lane);
                }
            }
            work();
        }

        private double lastStarved;
        private long lastSettled;
        private long lastRounds;
        private double lastRoundSeconds;

        private void tick() {
            if (idle > 0 && waiting.isEmpty()) {
                starved += now - starvedSince;
                starvedSince = now;
            }
            noDemand = lanes.stream().filter(lane -> !lane.busy).count() / (double) Math.max(1, lanes.size());
            Look look = new Look(
                    TICK,
                    settled - lastSettled,
                    Math.min(1, (starved - lastStarved) / TICK),
                    0,
                    noDemand,
                    roundTrip,
                    (roundSeconds - lastRoundSeconds) / Math.max(1, rounds - lastRounds),
                    30,
                    2_000,
                    6);
            lastStarved = starved;
            lastSettled = settled;
            lastRounds = rounds;
            lastRoundSeconds = roundSeconds;
            Plan next = ShareConsumerTuner.next(plan, look, workers, MAX_LANES);
            largestStep = Math.max(largestStep, next.credits() / (double) plan.credits());
            plan = next;
            follow();
            at(now + TICK, this::tick);
        }
    }
}
