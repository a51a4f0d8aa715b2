package dev.weir.bench.trial;

import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.measurement.TrialMembers;
import dev.weir.bench.result.Interval;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Runs trials of a {@link SimulatedGroup} and judges them like real trials. Confined to one thread. */
public final class SimulatedTrial implements Trials {
    private final String driver;
    private final WorkloadPoint point;
    private final ExploreSettings settings;

    /** Creates trials of the kind of group that the driver's name selects, see {@link SimulatedGroup}. */
    public SimulatedTrial(String driver, WorkloadPoint point, ExploreSettings settings) {
        this.driver = driver;
        this.point = point;
        this.settings = settings;
    }

    /** Passes the reports of a trial to its {@link TrialJudgement}. */
    private static final class Ears implements TrialMembers.Listener {
        private final Histogram lateness = new Histogram(3);
        private @Nullable TrialJudgement judgement;
        private long sent;

        @Override
        public void ofMember(
                int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            if (judgement != null) {
                judgement.add(member, startNanos, endNanos, interval, timings);
            }
        }

        @Override
        public void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> late) {
            if (judgement != null && judgement.contains(startNanos, endNanos)) {
                late.forEach(lateness::add);
                sent += interval.records();
            }
        }
    }

    @Override
    public TrialResult run(Attempt attempt, long seed) {
        Ears ears = new Ears();
        boolean isLate = attempt.kind() == Kind.COLD_START;
        SimulatedGroup group = new SimulatedGroup(point, driver, attempt.rate(), seed, isLate, ears);
        if (isLate) {
            group.advance(SimulatedGroup.JOIN_NANOS);
            group.join();
        } else {
            group.advance(nanos(settings.warmUpSeconds()));
        }
        switch (attempt.kind()) {
            case RESTART -> group.restartHalf();
            case PAUSE -> group.pause(nanos(settings.pauseSeconds()));
            default -> {} // STEP and HOLD have no disturbance. The disturbance of COLD_START is over.
        }
        double seconds = TrialJudgement.seconds(attempt, settings);
        TrialJudgement judge =
                new TrialJudgement(attempt, settings, point, group.handlers(), group.nowNanos(), seconds);
        ears.judgement = judge;
        boolean isLost = false;
        double held = 0; // sum of the sampled numbers of held locks
        int looks = 0;
        while (group.nowNanos() < judge.toNanos() && !isLost) {
            group.advance(Math.min(judge.toNanos(), group.nowNanos() + nanos(1)));
            held += group.locksHeld();
            looks++;
            isLost = judge.isLost();
        }
        long endNanos = group.nowNanos();
        return judge.result(
                judge.outcome(isLost, endNanos, ears.sent, ears.lateness),
                endNanos,
                Interval.UNKNOWN,
                held == 0 ? Map.of() : Map.of(LockWindow.HELD, held / looks));
    }

    private static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }
}
