package dev.weir.checks.deploy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Simulates a group of pods under an autoscaler, second by second. The autoscaler decides every 15 s, like KEDA, and
 * ignores changes within a tenth. A step up at most doubles the pods, or adds four if that is more. A step down removes
 * one pod per minute, if all results of the last five minutes allow it. Each change moves partitions, whose records
 * wait meanwhile. Deterministic. Confined to one thread.
 */
final class Autoscaling {

    static final int MOST_PODS = 12;

    /** The number of records that a pod handles per second. */
    static final int POD_RECORDS = 1_000;

    private static final int DECISION_SECONDS = 15;
    private static final int START_SECONDS = 30;
    private static final int MOVE_SECONDS = 3;
    private static final int STABLE_SECONDS = 300;
    private static final int DOWN_SECONDS = 60;

    /** The autoscaler's default tolerance. */
    private static final double TOLERANCE = 0.1;

    private static final int MOST_MORE = 4;
    private static final int RATE_SECONDS = 60;

    /** The readings that a policy sees. */
    record Look(int pods, long lagRecords, double lagSeconds, double busyShare, boolean outputLimits) {}

    /** Computes the desired number of pods, before limits apply. */
    @FunctionalInterface
    interface Policy {
        double pods(Look look);
    }

    /** The load: records that arrive, and records that the output accepts, by second. */
    record Load(int seconds, IntToLongFunction arriving, IntToLongFunction outputTakes) {}

    /**
     * The outcome of a simulated day.
     *
     * @param lateSeconds the number of seconds with a lag above a minute
     * @param moves the number of times that partitions moved
     */
    record Outcome(int maxLagSeconds, int lateSeconds, double podHours, int moves, int mostPods) {}

    /** The records that arrived in one second. */
    private record Arrival(int second, long records) {}

    private final Policy policy;
    private final Load load;

    private final Deque<Arrival> waiting = new ArrayDeque<>();
    private final Deque<Integer> readyAt = new ArrayDeque<>();
    private final List<Double> answers = new ArrayList<>();
    private final Deque<Double> busy = new ArrayDeque<>();
    private int pods = 1;
    private int movingUntil;
    private int lastDown;
    private boolean outputLimits;

    private int maxLagSeconds;
    private int lateSeconds;
    private long podSeconds;
    private int moves;
    private int mostPods = 1;

    private Autoscaling(Policy policy, Load load) {
        this.policy = policy;
        this.load = load;
    }

    static Outcome run(Policy policy, Load load) {
        return new Autoscaling(policy, load).run();
    }

    private Outcome run() {
        for (int second = 0; second < load.seconds; second++) {
            while (!readyAt.isEmpty() && readyAt.getFirst() <= second) {
                readyAt.removeFirst();
                pods++;
                moved(second);
            }
            long arrived = load.arriving.applyAsLong(second);
            if (arrived > 0) {
                waiting.addLast(new Arrival(second, arrived));
            }
            work(second);
            int lag = lagSeconds(second);
            maxLagSeconds = Math.max(maxLagSeconds, lag);
            lateSeconds += lag > 60 ? 1 : 0;
            podSeconds += pods + readyAt.size();
            mostPods = Math.max(mostPods, pods + readyAt.size());
            if (second % DECISION_SECONDS == 0) {
                decide(second);
            }
        }
        return new Outcome(maxLagSeconds, lateSeconds, podSeconds / 3600.0, moves, mostPods);
    }

    private void work(int second) {
        double serving = second < movingUntil ? 1 - 1.0 / pods : 1;
        long able = (long) (pods * serving * POD_RECORDS);
        long taken = load.outputTakes.applyAsLong(second);
        long left = Math.min(able, taken);
        long done = 0;
        while (left > done && !waiting.isEmpty()) {
            Arrival first = waiting.removeFirst();
            long now = Math.min(first.records, left - done);
            done += now;
            if (now < first.records) {
                waiting.addFirst(new Arrival(first.second, first.records - now));
            }
        }
        outputLimits = !waiting.isEmpty() && taken < able;
        busy.addLast(done / (double) (pods * POD_RECORDS));
        if (busy.size() > RATE_SECONDS) {
            busy.removeFirst();
        }
    }

    private int lagSeconds(int second) {
        return waiting.isEmpty() ? 0 : second - waiting.getFirst().second;
    }

    private void decide(int second) {
        long lagRecords = waiting.stream().mapToLong(Arrival::records).sum();
        double share = busy.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        double answer = policy.pods(new Look(pods, lagRecords, lagSeconds(second), share, outputLimits));
        int asked = pods + readyAt.size();
        double wanted = Math.abs(answer / asked - 1) <= TOLERANCE ? asked : Math.ceil(answer);
        answers.add(Math.clamp(wanted, 1, MOST_PODS));
        int from = Math.max(0, answers.size() - STABLE_SECONDS / DECISION_SECONDS);
        double stable = answers.subList(from, answers.size()).stream()
                .mapToDouble(Double::doubleValue)
                .max()
                .orElseThrow();
        if (answers.getLast() > asked) {
            double now = Math.min(answers.getLast(), asked + Math.max(MOST_MORE, asked));
            for (int more = asked; more < now; more++) {
                readyAt.addLast(second + START_SECONDS);
            }
        } else if (stable < asked && readyAt.isEmpty() && second - lastDown >= DOWN_SECONDS) {
            pods--;
            lastDown = second;
            moved(second);
        }
    }

    private void moved(int second) {
        moves++;
        movingUntil = second + MOVE_SECONDS;
    }
}
