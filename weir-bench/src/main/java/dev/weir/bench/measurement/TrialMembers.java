package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.process.DriverSession;
import dev.weir.driver.Report;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * The processes of a trial: members of a group that come and go, and the generator that sends to them. What they
 * report goes to {@link Listener}. Confined to one thread.
 */
final class TrialMembers {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENCE_NANOS = DriverSession.PATIENCE.toNanos();

    private final List<Member> members;
    private final Member generator;
    private final BooleanSupplier isStopped;
    private final Runnable requireBrokers;
    private final Listener listener;

    /** Whether a group is complete. */
    interface Settled {
        boolean look() throws InterruptedException;
    }

    /** Hears of each interval. */
    interface Listener {
        void ofMember(long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings);

        void ofGenerator(long startNanos, long endNanos, List<Histogram> lateness);
    }

    private static final class Member {
        private final DriverSession session;
        private long firstNanos;
        private long lastNanos;
        private boolean isInPass;
        private boolean hasBegun;

        Member(DriverSession session) {
            this.session = session;
        }

        void start(String group, double seconds) {
            isInPass = true;
            hasBegun = false;
            session.start(group, 0, seconds);
        }
    }

    TrialMembers(
            List<DriverSession> members,
            DriverSession generator,
            BooleanSupplier isStopped,
            Runnable requireBrokers,
            Listener listener) {
        this.members = members.stream().map(Member::new).toList();
        this.generator = new Member(generator);
        this.isStopped = isStopped;
        this.requireBrokers = requireBrokers;
        this.listener = listener;
    }

    void start(String group, double seconds) {
        members.forEach(member -> member.start(group, seconds));
    }

    /**
     * The generator's begin.
     *
     * @throws GeneratorFailure if it is gone
     */
    void startGenerator(double seconds) throws InterruptedException {
        GeneratorFailure.tellingApart(() -> {
            generator.start(generator.session.newGroup(), seconds);
            return generator;
        });
    }

    /** Waits until one of them has delivered a record. */
    void awaitFirst() throws InterruptedException {
        await(() -> members.stream().anyMatch(member -> member.hasBegun), "no member delivered a record");
    }

    /**
     * Half of them leave, the rest of an odd number too, and join again when they have left. Where there are partitions
     * for all, returns when one of these has delivered a record again.
     */
    void restartHalf(String group, double seconds, int partitions) throws InterruptedException {
        List<Member> half = members.subList(0, (members.size() + 1) / 2);
        half.forEach(member -> member.session.end());
        await(() -> half.stream().noneMatch(member -> member.isInPass), "a member did not leave");
        half.forEach(member -> member.start(group, seconds));
        if (members.size() <= partitions) {
            await(() -> half.stream().anyMatch(member -> member.hasBegun), "no restarted member delivered a record");
        }
    }

    /** Halts all members for that long, or until it fails. */
    void pause(double seconds) throws InterruptedException {
        try {
            for (Member member : members) {
                member.session.freeze();
            }
            hearUntil(System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
        } finally {
            for (Member member : members) {
                member.session.thaw();
            }
        }
    }

    /** Waits until that is so, which is asked of brokers, and now and then only. */
    void awaitSettled(Settled settled) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!settled.look()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new RunFailure("not all of " + members.size() + " members had partitions within "
                        + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
            }
            hearUntil(System.nanoTime() + ASK_NANOS);
        }
    }

    private void await(BooleanSupplier condition, String otherwise) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new RunFailure(otherwise + " within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
            }
            hear();
        }
    }

    /** Hears what they report until then. */
    void hearUntil(long nanos) throws InterruptedException {
        while (System.nanoTime() - nanos < 0) {
            hear();
        }
    }

    /** Hears what there is to hear, or waits a little. */
    private void hear() throws InterruptedException {
        if (isStopped.getAsBoolean()) {
            throw new RunFailure("it was stopped");
        }
        boolean heard = GeneratorFailure.tellingApart(() -> hear(generator));
        for (Member member : members) {
            heard |= hear(member);
        }
        if (!heard) {
            requireBrokers.run();
            LockSupport.parkNanos(LOOK_NANOS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private boolean hear(Member member) throws InterruptedException {
        Report report = member.session.poll();
        switch (report) {
            case null -> {
                return false;
            }
            case Report.First first -> {
                member.firstNanos = first.nanos();
                member.lastNanos = first.nanos();
                member.hasBegun = true;
            }
            case Report.Interval interval -> {
                long start = member.lastNanos;
                member.lastNanos = member.firstNanos + interval.atNanos();
                List<Histogram> timings = SteadyMeasurement.decoded(interval);
                if (member == generator) {
                    listener.ofGenerator(start, member.lastNanos, timings);
                } else {
                    listener.ofMember(start, member.lastNanos, interval, timings);
                }
            }
            case Report.Passed passed -> member.isInPass = false;
            case Report.Hello hello -> throw new RunFailure("hello came twice");
            case Report.Failed failed -> throw new RunFailure(failed.message());
        }
        return true;
    }
}
