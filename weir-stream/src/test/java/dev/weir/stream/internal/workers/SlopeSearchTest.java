package dev.weir.stream.internal.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Parallelism;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the search for the limit on a simulated stage, in virtual time. Each run gives the same result. */
class SlopeSearchTest {

    private static final long SECOND = 1_000_000_000L;

    /**
     * A closed system with as many elements inside as the limit allows. Each element waits (blocking work), then queues
     * for one of a few servers (processors, connections), then leaves for a consumer, which may be slow.
     */
    static final class Simulation {
        final WorkerLimit limit;
        final Random random;
        double waitSeconds;
        double serviceSeconds;
        int servers = 2;
        /** Slowdown of all service caused by each element inside, as a fraction. */
        double interference;
        /** Elements per second that the downstream stage takes at most. */
        double takenPerSecond = Double.MAX_VALUE;
        /**
         * True if a handler starts before it has a server. A virtual thread instead waits for a carrier before it
         * starts.
         */
        boolean countsQueueing = true;

        private long now;
        private double mayTake;
        private long takenAt;
        private int inside;
        private int busyServers;
        private long[] queue = new long[4096];
        private int queueHead;
        private int queueTail;
        private final PriorityQueue<long[]> events = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        long done;

        Simulation(Parallelism bounds, int seed) {
            limit = new WorkerLimit(bounds, 0);
            random = new Random(seed);
        }

        private long exponential(double meanSeconds) {
            return Math.max(1, (long) (-Math.log(1 - random.nextDouble()) * meanSeconds * SECOND));
        }

        private void fill() {
            while (inside < limit.current() && mayEnter()) {
                inside++;
                events.add(new long[] {now + exponential(waitSeconds), 0, now});
            }
        }

        /** Returns whether an element may enter. Elements enter at the consumer's rate, in bursts of up to 64. */
        private boolean mayEnter() {
            if (takenPerSecond == Double.MAX_VALUE) {
                return true;
            }
            mayTake = Math.min(64, mayTake + (now - takenAt) * takenPerSecond / SECOND);
            takenAt = now;
            if (mayTake < 1) {
                return false;
            }
            mayTake--;
            return true;
        }

        private void serve(long began) {
            busyServers++;
            double slower = 1 + interference * inside;
            events.add(new long[] {now + exponential(serviceSeconds * slower), 1, countsQueueing ? began : now});
        }

        /** Runs for the given time and returns the elements per second. */
        double run(double seconds) {
            long end = now + (long) (seconds * SECOND);
            long doneBefore = done;
            events.add(new long[] {now, 2, 0});
            while (true) {
                long[] event = events.remove();
                now = event[0];
                if (event[1] == 0) {
                    if (busyServers < servers) {
                        serve(event[2]);
                    } else {
                        queue[queueTail++ & 4095] = event[2];
                    }
                } else if (event[1] == 1) {
                    busyServers--;
                    inside--;
                    done++;
                    limit.worked(1, now - event[2], true, now);
                    if (queueHead < queueTail) {
                        serve(queue[queueHead++ & 4095]);
                    }
                } else if (now >= end) {
                    return (done - doneBefore) / seconds;
                } else {
                    events.add(new long[] {now + SECOND / 1000, 2, 0});
                }
                fill();
            }
        }
    }

    /** A kind of work. */
    record Work(String name, double waiting, double service, int servers, double interference, boolean counts) {
        Simulation at(Parallelism bounds, int seed) {
            Simulation simulation = new Simulation(bounds, seed);
            simulation.waitSeconds = waiting;
            simulation.serviceSeconds = service;
            simulation.servers = servers;
            simulation.interference = interference;
            simulation.countsQueueing = counts;
            return simulation;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Work> works() {
        return Stream.of(
                new Work("processors only", 1e-9, 100e-6, 2, 0, true),
                new Work("processors only, virtual threads", 1e-9, 100e-6, 2, 0, false),
                new Work("processors that get into each other's way", 1e-9, 100e-6, 8, 0.03, true),
                new Work("blocking, without a bound", 10e-3, 1e-9, 1000, 0, true),
                new Work("blocking, 40 connections", 1e-3, 5e-3, 40, 0, true),
                new Work("mixed, one part in ten on 2 processors", 1e-3, 100e-6, 2, 0, true),
                new Work("mixed, half on 2 processors", 200e-6, 200e-6, 2, 0, true),
                new Work("blocking, slower with each other", 2e-3, 1e-3, 64, 0.02, true));
    }

    @ParameterizedTest
    @MethodSource("works")
    void search_reachesNineTenthsOfTheBestFixedLimit(Work work) {
        double best = IntStream.of(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
                .mapToDouble(n -> {
                    Simulation fixed = work.at(Parallelism.fixed(n), 1);
                    fixed.run(0.5);
                    return fixed.run(2);
                })
                .max()
                .orElseThrow();
        for (int seed = 0; seed < 5; seed++) {
            Simulation adaptive = work.at(Parallelism.adaptive(1, 128), seed);
            adaptive.run(10);
            double reached = adaptive.run(10);
            assertThat(reached)
                    .as("seed %d, best %.0f/s, limit now %d", seed, best, adaptive.limit.current())
                    .isGreaterThan(0.9 * best);
        }
    }

    @Test
    void limit_staysNearWhatTheServersCanUse() {
        for (int seed = 0; seed < 5; seed++) {
            Simulation connections = new Simulation(Parallelism.adaptive(1, 1000), seed);
            connections.waitSeconds = 1e-9;
            connections.serviceSeconds = 5e-3;
            connections.servers = 40;
            connections.run(20);
            assertThat(connections.limit.current()).isBetween(32, 80);
        }
    }

    @Test
    void limit_whenWhatHandlersCallLosesCapacity_stepsDown_andUpAgain() {
        for (int seed = 0; seed < 5; seed++) {
            Simulation service = new Simulation(Parallelism.adaptive(1, 500), seed);
            service.waitSeconds = 1e-9;
            service.serviceSeconds = 2e-3;
            service.servers = 60;
            service.run(15);
            assertThat(service.limit.current()).isBetween(48, 130);
            service.servers = 8;
            service.run(20);
            assertThat(service.limit.current()).isBetween(6, 24);
            service.servers = 60;
            service.run(25);
            assertThat(service.limit.current()).isBetween(48, 130);
        }
    }

    @Test
    void limit_whenTheStageBelowTakesLess_fallsToWhatIsUsed() {
        Simulation stage = new Simulation(Parallelism.adaptive(1, 500), 1);
        stage.waitSeconds = 10e-3;
        stage.serviceSeconds = 1e-9;
        stage.servers = 1000;
        stage.run(10);
        assertThat(stage.limit.current()).isGreaterThan(400);
        // Ten concurrent elements of 10 ms each give 1000 per second, which is all that the downstream stage takes.
        stage.takenPerSecond = 1000;
        double rate = stage.run(10);
        // The limit is 8 if the search is trying a step down at the end.
        assertThat(stage.limit.current()).isBetween(8, 25);
        assertThat(rate).isGreaterThan(900);
    }

    @Test
    void limit_isKeptWhenThereIsNothingToDo() {
        SlopeSearch search = new SlopeSearch(Parallelism.adaptive(1, 100), 50);
        for (int i = 0; i < 100; i++) {
            search.sample(10, 0.1, false);
        }
        assertThat(search.limit()).isEqualTo(50);
    }

    @Test
    void limit_ofAFixedParallelism_neverMoves() {
        WorkerLimit limit = new WorkerLimit(Parallelism.fixed(7), 0);
        for (int i = 1; i < 1000; i++) {
            limit.worked(1000, SECOND, true, i * SECOND);
        }
        assertThat(limit.current()).isEqualTo(7);
    }
}
