package dev.weir.kafka.internal.session;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Workers who take what is lent and end it after a time of their own; every loan must end in exactly one way. */
final class SimulatedWork implements Borrower {

    private static final long MILLI = 1_000_000;

    private enum End {
        WAITING,
        TAKEN,
        DONE,
        GIVEN_BACK,
        LOST
    }

    private static final class SimulatedLoan implements Loan {
        private final ConsumerRecord<byte[], byte[]> record;
        private End end = End.WAITING;
        private AcknowledgeType outcome = AcknowledgeType.ACCEPT;

        SimulatedLoan(ConsumerRecord<byte[], byte[]> record) {
            this.record = record;
        }

        @Override
        public String topic() {
            return record.topic();
        }

        @Override
        public int partition() {
            return record.partition();
        }

        @Override
        public long offset() {
            return record.offset();
        }

        @Override
        public boolean giveBack() {
            if (end != End.WAITING) {
                return false;
            }
            end = End.GIVEN_BACK;
            return true;
        }

        @Override
        public boolean lose() {
            if (end != End.WAITING && end != End.TAKEN) {
                return false;
            }
            end = End.LOST;
            return true;
        }

        @Override
        public boolean isGone() {
            return end == End.GIVEN_BACK || end == End.LOST;
        }

        @Override
        public boolean isAtRisk() {
            return false;
        }

        @Override
        public boolean isLastDelivery() {
            return false;
        }

        @Override
        public boolean isOffered() {
            return true;
        }

        @Override
        public AcknowledgeType outcome() {
            return outcome;
        }
    }

    private final SimulatedGroup group;
    private final Random random;
    private final int workers;
    private final ArrayDeque<SimulatedLoan> queue = new ArrayDeque<>();
    private final Set<Loan> all = new HashSet<>();
    private final Map<String, SimulatedLoan> newest = new HashMap<>();
    private int busy;
    private @Nullable ShareMember member;

    /** Records whose work was done and told as ACCEPT or REJECT, by place, and how often the broker took that. */
    final Map<String, Integer> done = new HashMap<>();

    long accepted;
    long refused;
    long renewed;
    int wentBack;
    int emptied;
    int starved;
    boolean ended;
    boolean slow;

    /** True if the group's setting is known to be that brokers renew locks. */
    boolean asksForRenewals = true;

    /** For which all handlers work; 0 for the usual times. */
    long fixedMillis;

    long notRenewed;
    int lost;

    /** True if the member asked to be woken when work ended. */
    boolean wakes;

    SimulatedWork(SimulatedGroup group, Random random, int workers) {
        this.group = group;
        this.random = random;
        this.workers = workers;
    }

    private static String place(int partition, long offset) {
        return partition + "@" + offset;
    }

    /** Returns whether the record is lent and its work has not ended, so that nobody says anything about it. */
    boolean isOpen(int partition, long offset) {
        SimulatedLoan loan = newest.get(place(partition, offset));
        return loan != null && (loan.end == End.WAITING || loan.end == End.TAKEN);
    }

    /** Returns whether the work on the record was done once. */
    boolean isDone(int partition, long offset) {
        return done.containsKey(place(partition, offset));
    }

    /** The member does what is due; returns for how long it may be left alone. */
    long turn(long now) {
        return Objects.requireNonNull(member).turn(now);
    }

    /** It is now this time, for what the member hears next. */
    void at(long now) {
        Objects.requireNonNull(member).at(now);
    }

    void of(ShareMember newMember) {
        member = newMember;
    }

    int lent() {
        return all.size();
    }

    int open() {
        int open = 0;
        for (Loan loan : all) {
            End end = ((SimulatedLoan) loan).end;
            open += end == End.WAITING || end == End.TAKEN ? 1 : 0;
        }
        return open;
    }

    private void work() {
        while (busy < workers && !queue.isEmpty()) {
            SimulatedLoan next = queue.poll();
            if (next.end != End.WAITING) {
                continue;
            }
            next.end = End.TAKEN;
            busy++;
            long millis =
                    fixedMillis > 0 ? fixedMillis : slow && random.nextInt(40) == 0 ? 5_000 : 1 + random.nextInt(10);
            group.at(group.now() + millis * MILLI, () -> finish(next));
        }
    }

    private void finish(SimulatedLoan loan) {
        busy--;
        starved += queue.isEmpty() ? 1 : 0;
        if (loan.end == End.TAKEN) {
            loan.outcome = random.nextInt(20) == 0 ? AcknowledgeType.RELEASE : AcknowledgeType.ACCEPT;
            loan.end = End.DONE;
            if (loan.outcome == AcknowledgeType.ACCEPT) {
                done.merge(place(loan.partition(), loan.offset()), 1, Integer::sum);
            }
            wakes |= Objects.requireNonNull(member).ended(loan);
        }
        work();
    }

    @Override
    public boolean hasDemand() {
        return !ended;
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    @Override
    public boolean isOver() {
        return ended;
    }

    @Override
    public boolean renewsLocks() {
        return asksForRenewals;
    }

    @Override
    public Loan lend(ConsumerRecord<byte[], byte[]> record, long lockedSinceNanos) {
        SimulatedLoan loan = new SimulatedLoan(record);
        queue.add(loan);
        all.add(loan);
        newest.put(place(loan.partition(), loan.offset()), loan);
        return loan;
    }

    @Override
    public void lentAll() {
        work();
    }

    @Override
    public void fetched(int records, long nanos, boolean idle) {}

    @Override
    public void emptied() {
        emptied++;
    }

    @Override
    public void finished(long nanosSinceAcquired) {}

    @Override
    public void skipped(String topic, int partition, long from, long to) {
        throw new AssertionError("skipped " + topic + "-" + partition + "@" + from);
    }

    @Override
    public void passedBy(int records) {
        queue.removeIf(loan -> loan.end != End.WAITING);
    }

    @Override
    public void goesBack(Loan loan) {
        wentBack++;
    }

    @Override
    public void lost(Loan loan) {
        lost += loan.lose() ? 1 : 0;
    }

    @Override
    public void confirmed(AcknowledgeType type, int records, long nanos) {
        accepted += type == AcknowledgeType.ACCEPT ? records : 0;
        renewed += type == AcknowledgeType.RENEW ? records : 0;
    }

    @Override
    public void refused(String place, AcknowledgeType type, int records, String reason) {
        refused += records;
    }

    @Override
    public void notRenewed(String place, int records, String reason) {
        notRenewed += records;
    }

    @Override
    public void fatal(KafkaException fault) {
        throw fault;
    }
}
