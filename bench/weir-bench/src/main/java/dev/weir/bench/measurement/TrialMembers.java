package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.figures.ReportedTimings;
import dev.weir.bench.process.DriverSession;
import dev.weir.driver.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a trial: group members, the generator that sends records to them, and a reader of the output if
 * members copy records. {@link Listener} receives their reports. Confined to one thread.
 */
public final class TrialMembers {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENCE_NANOS = DriverSession.PATIENCE.toNanos();

    private final List<Member> members = new ArrayList<>();
    private int made; // number of members added so far
    private final Member generator;
    private @Nullable Member reader;
    private final BooleanSupplier isStopped;
    private final Runnable requireBrokers;
    private final Listener listener;

    /** Checks whether a group is complete. */
    public interface Settled {
        boolean look() throws InterruptedException;
    }

    /** Receives the reports of the processes. */
    public interface Listener {
        /** Receives an interval of a member. {@code member} is the member's index; the first member has index 0. */
        void ofMember(int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings);

        void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> lateness);

        /** Receives an interval of the reader of the members' output, if there is one. */
        default void ofReader(long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {}

        /** Receives the numbers of all records of a member's pass when the pass is over, if requested. */
        default void delivered(Report.Delivered told) {}

        /** Receives the report of a member's pass when the pass is over. */
        default void passed(Report.Passed passed) {}

        /** Receives the report of the generator's pass when the pass is over. */
        default void sent(Report.Passed passed) {}

        /** Called repeatedly while the trial waits, with or without new reports. */
        default void tick() throws InterruptedException {}
    }

    /** A member of the group, the generator, or the reader. */
    static final class Member {
        private final DriverSession session;
        private final int index;
        private final Listener listener; // listener of the member's group
        private long firstNanos;
        private long lastNanos;
        private long told; // records reported in intervals of the current pass
        private boolean isInPass;
        private boolean hasBegun;
        private boolean isReady; // whether the generator is ready

        Member(DriverSession session, int index, Listener listener) {
            this.session = session;
            this.index = index;
            this.listener = listener;
        }

        long told() {
            return told;
        }

        void start(String group, double seconds) {
            told = 0;
            isInPass = true;
            hasBegun = false;
            isReady = false;
            session.start(group, 0, seconds);
        }
    }

    public TrialMembers(
            List<DriverSession> members,
            DriverSession generator,
            BooleanSupplier isStopped,
            Runnable requireBrokers,
            Listener listener) {
        this.generator = new Member(generator, -1, listener);
        this.isStopped = isStopped;
        this.requireBrokers = requireBrokers;
        this.listener = listener;
        for (DriverSession member : members) {
            var unused = add(member, listener);
        }
    }

    /** Adds a member without starting it; {@code ofGroup} receives the reports of the member. */
    public Member add(DriverSession session, Listener ofGroup) {
        Member member = new Member(session, made++, ofGroup);
        members.add(member);
        return member;
    }

    /** Removes a member whose pass is over. */
    public void remove(Member member) {
        members.remove(member);
    }

    public void start(String group, double seconds) {
        members.forEach(member -> member.start(group, seconds));
    }

    /**
     * Starts the generator. Returns when it is connected and waits for its plan.
     *
     * @throws GeneratorFailure if the generator's process is gone
     */
    public void startGenerator(double seconds) throws InterruptedException {
        GeneratorFailure.tellingApart(() -> {
            generator.start(generator.session.newGroup(), seconds);
            return generator;
        });
        await(() -> generator.isReady, "the generator was not ready");
    }

    /** Starts the pass of a reader of the members' output. The session must be configured. */
    void startReader(DriverSession session, double seconds) {
        Member started = new Member(session, -1, listener);
        reader = started;
        started.start(session.newGroup(), seconds);
    }

    /** Waits until the reader has read a record. Returns at once without a reader. */
    void awaitReader() throws InterruptedException {
        Member started = reader;
        await(() -> started == null || started.hasBegun, "the reader of the output read no record");
    }

    /** Stops the reader; returns when it has closed down. */
    void endReader() throws InterruptedException {
        Member started = reader;
        if (started != null) {
            started.session.end();
            await(() -> !started.isInPass, "the reader of the output did not close down");
        }
    }

    /** Returns whether the generator's pass is still running. */
    public boolean isSending() {
        return generator.isInPass;
    }

    /** Stops the generator; returns when it has closed down. */
    public void endGenerator() throws InterruptedException {
        GeneratorFailure.tellingApart(() -> {
            generator.session.end();
            return generator;
        });
        await(() -> !generator.isInPass, "the generator did not close down");
    }

    /** Waits until one of the members has delivered a record. */
    public void awaitFirst() throws InterruptedException {
        await(() -> members.stream().anyMatch(member -> member.hasBegun), "no member delivered a record");
    }

    /**
     * Makes half of the members, rounded up, leave and rejoin. If each member has a partition, returns when a restarted
     * member has delivered a record.
     */
    public void restartHalf(String group, double seconds, int partitions) throws InterruptedException {
        List<Member> half = members.subList(0, (members.size() + 1) / 2);
        leave(half);
        half.forEach(member -> member.start(group, seconds));
        if (members.size() <= partitions) {
            await(() -> half.stream().anyMatch(member -> member.hasBegun), "no restarted member delivered a record");
        }
    }

    /** Makes these members leave their group and returns when they have left. */
    public void leave(List<Member> some) throws InterruptedException {
        some.forEach(member -> member.session.end());
        await(() -> some.stream().noneMatch(member -> member.isInPass), "a member did not leave");
    }

    /** Makes all members leave and returns when they have reported the ends of their passes. */
    public void leaveAll() throws InterruptedException {
        leave(List.copyOf(members));
    }

    /** Halts all members for the given number of seconds, or until a failure occurs. */
    public void pause(double seconds) throws InterruptedException {
        pause(members, seconds);
    }

    /** Halts these members for the given number of seconds, or until a failure occurs. */
    public void pause(List<Member> some, double seconds) throws InterruptedException {
        try {
            for (Member member : some) {
                member.session.freeze();
            }
            hearUntil(System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
        } finally {
            thaw(some);
        }
    }

    /** Thaws all of these members, even if thawing some of them fails. */
    private static void thaw(List<Member> some) throws InterruptedException {
        RunFailure first = null;
        for (Member member : some) {
            try {
                member.session.thaw();
            } catch (RunFailure e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Waits until the condition is true. Checks only every 200 ms, because each check queries the brokers.
     *
     * @throws RunFailure if the condition is not true in time
     */
    public void awaitSettled(Settled settled) throws InterruptedException {
        if (!settles(settled)) {
            throw new RunFailure("not all of " + members.size() + " members had partitions within "
                    + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
        }
    }

    /** Waits until the condition is true. Returns false if it is not true in time. */
    boolean settles(Settled settled) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!settled.look()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            hearUntil(System.nanoTime() + ASK_NANOS);
        }
        return true;
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

    /** Receives reports until this time. */
    public void hearUntil(long nanos) throws InterruptedException {
        while (System.nanoTime() - nanos < 0) {
            hear();
        }
    }

    /** Receives the available reports, or waits briefly if there are none. */
    private void hear() throws InterruptedException {
        if (isStopped.getAsBoolean()) {
            throw new RunFailure("it was stopped");
        }
        listener.tick();
        boolean heard = GeneratorFailure.tellingApart(() -> hear(generator));
        heard |= reader != null && hear(reader);
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
                member.told += interval.records();
                List<Histogram> timings = ReportedTimings.of(interval);
                if (member == generator) {
                    listener.ofGenerator(start, member.lastNanos, interval, timings);
                } else if (member == reader) {
                    listener.ofReader(start, member.lastNanos, interval, timings);
                } else {
                    member.listener.ofMember(member.index, start, member.lastNanos, interval, timings);
                }
            }
            case Report.Ready ready -> member.isReady = true;
            case Report.Delivered told -> member.listener.delivered(told);
            case Report.Passed passed -> {
                member.isInPass = false;
                if (member == generator) {
                    listener.sent(passed);
                } else if (member != reader) {
                    member.listener.passed(passed);
                }
            }
            case Report.Clock answer -> {} // handled by the clock of the process
            case Report.Hello hello -> throw new RunFailure("it sent hello twice");
            case Report.Failed failed -> throw new RunFailure(failed.message());
        }
        return true;
    }
}
