package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.simulation.GroupPartition;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a {@link TransactionWorld}: inputs, outputs, transactions and committed offsets. Each commit checks
 * the exactly-once guarantee: a read_committed reader sees each output of the committed inputs once, and no other
 * outputs. Confined to the simulation's thread and threads that take turns with it.
 */
final class TransactionCluster {

    /** Age at which a coordinator aborts a transaction. */
    static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int MAX_OUTPUTS = 3;

    /** In simulations with refusals, one in this many outputs is refused. */
    private static final int REFUSED = 25;

    /** In simulations with refusals, one in this many outputs has a topic without write permission. */
    private static final int FOR_FORBIDDEN = 40;

    /** Topic without write permission. */
    static final String FORBIDDEN = "forbidden";

    /** True while a single seed is replayed, with its events printed. */
    private static final boolean TELLS = Long.getLong("weir.simulation.seed", -1) >= 0;

    static final class Input extends GroupPartition {

        /** Offsets of finished inputs. */
        final BitSet finished = new BitSet();

        /** Visible outputs of each offset, as one bit per output. */
        final Map<Long, Integer> seen = new HashMap<>();

        /** The first offset to check. Earlier ones were skipped by a user or written before. */
        int soughtTo;

        long committed = -1;
        String text = "";

        /** True if the group assigns the partition to this member, which may not know yet. */
        boolean ours;

        Input(TopicPartition id) {
            super(id);
        }

        @Override
        public void assign() {
            super.assign();
            ours = true;
            position = Math.max(0, committed);
        }

        @Override
        public void release() {
            super.release();
            ours = false;
        }

        /** Returns the offset after all committed inputs. */
        long finishedTo() {
            FinishedSet noted = noted();
            return noted.runs() == 0 ? Math.max(0, committed) : noted.to(noted.runs() - 1);
        }

        FinishedSet noted() {
            return CommitText.decode(Math.max(0, committed), text).finished();
        }

        @Override
        public String toString() {
            return id + " " + position + "/" + end + " committed " + committed + " and " + noted()
                    + (owned ? ", owned" : "") + (ours ? ", ours" : "") + (paused ? ", paused" : "")
                    + (held ? ", held" : "");
        }
    }

    /** An output and the input from which it was made. */
    record Out(Input of, long offset, int part) {
        @Override
        public String toString() {
            return of.id + "@" + offset + "#" + part;
        }
    }

    static final class Transaction {
        final String id;
        final long beganNanos;
        final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        final List<Out> records = new ArrayList<>();
        boolean committed;

        Transaction(String id, long beganNanos) {
            this.id = id;
            this.beganNanos = beganNanos;
        }
    }

    private record Written(Out out, Transaction by) {}

    final Map<TopicPartition, Input> inputs = new LinkedHashMap<>();
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Map<String, Transaction> ongoing = new LinkedHashMap<>();
    private final List<Written> output = new ArrayList<>();
    private final Set<TransactionFault> faults;
    private final long seed;
    private final boolean refuses;

    /** First violation of the guarantee. The run may fail with another message. */
    private @Nullable AssertionError violation;

    /** Creates a cluster that refuses some records if {@code refuses} is true. */
    TransactionCluster(long seed, boolean refuses, Set<TransactionFault> faults) {
        this.seed = seed;
        this.refuses = refuses;
        this.faults = faults;
    }

    /** Prints an event while a single seed is replayed. */
    void note(String what, Object... details) {
        if (TELLS) {
            System.out.printf(what + "%n", details);
        }
    }

    boolean has(TransactionFault fault) {
        return faults.contains(fault);
    }

    Input input(TopicPartition id) {
        return Objects.requireNonNull(inputs.get(id));
    }

    /** Returns an input's number of outputs: usually one, sometimes none or several. */
    int outputsOf(Input input, long offset) {
        return switch ((int) (drawn(input, offset) & 7)) {
            case 0 -> 0;
            case 1 -> 2;
            case 2 -> MAX_OUTPUTS;
            default -> 1;
        };
    }

    private long drawn(Input input, long offset) {
        long drawn = (seed * 31 + input.id.partition()) * 1_000_003 + offset;
        drawn ^= drawn >>> 15;
        drawn *= 0x2c1b3c6d;
        drawn ^= drawn >>> 12;
        return drawn;
    }

    boolean isRefused(Out out) {
        return refuses
                && (((drawn(out.of, out.offset) >>> 8) + out.part) % REFUSED == 0
                        || topicOf(out).equals(FORBIDDEN));
    }

    String topicOf(Out out) {
        boolean isForbidden = refuses && ((drawn(out.of, out.offset) >>> 16) + out.part) % FOR_FORBIDDEN == 0;
        return isForbidden ? FORBIDDEN : "out";
    }

    /**
     * Returns whether a serializer may throw for this output. A flow with a rule for such failures must not write it.
     */
    boolean mayNotBeSerialised(Out out) {
        return !refuses || isRefused(out);
    }

    /** Returns the outputs of an input that must be visible, as one bit per output. */
    private int outputsSeen(Input input, long offset) {
        int seen = 0;
        for (int part = 0; part < outputsOf(input, offset); part++) {
            seen |= isRefused(new Out(input, offset, part)) ? 0 : 1 << part;
        }
        return seen;
    }

    // ---- The coordinator of transactions ---------------------------------------------------------------------------

    /** Assigns a new epoch to the id, and aborts the id's open transaction. */
    int initProducer(String id) {
        end(id, false);
        return epochs.merge(id, 1, Integer::sum);
    }

    /** Returns whether this is the id's latest epoch. */
    boolean isCurrent(String id, int epoch) {
        return has(TransactionFault.ZOMBIE_WRITES) || epochs.getOrDefault(id, -1) == epoch;
    }

    private Transaction open(String id, long nowNanos) {
        return ongoing.computeIfAbsent(id, none -> new Transaction(id, nowNanos));
    }

    void write(String id, Out out, long nowNanos) {
        Transaction open = open(id, nowNanos);
        open.records.add(out);
        note("  %s writes %s", id, out);
        output.add(new Written(out, open));
    }

    void sendOffsets(String id, Map<TopicPartition, OffsetAndMetadata> offsets, long nowNanos) {
        note("  %s sends offsets %s", id, offsets);
        open(id, nowNanos).offsets.putAll(offsets);
        if (has(TransactionFault.OFFSETS_BEFORE_THE_END)) {
            commit(offsets);
        }
    }

    /** Ends the id's open transaction, if there is one. */
    void end(String id, boolean commit) {
        Transaction ending = ongoing.remove(id);
        if (ending == null) {
            return;
        }
        note("  %s is %s: %s %s", id, commit ? "committed" : "aborted", ending.records, ending.offsets);
        ending.committed = commit || has(TransactionFault.ABORTED_RECORDS_SEEN);
        if (ending.committed) {
            ending.records.forEach(this::see);
        }
        if (commit && !has(TransactionFault.OFFSETS_LEFT_OUT)) {
            commit(ending.offsets);
        }
        check();
    }

    /** Ends the open transaction of another producer, and fences it. */
    void fence(String id) {
        int ignored = initProducer(id);
    }

    List<String> openOfOthers(String run) {
        return ongoing.keySet().stream().filter(id -> !id.contains(run)).toList();
    }

    List<String> openOf(String run) {
        return ongoing.keySet().stream().filter(id -> id.contains(run)).toList();
    }

    /** Aborts transactions that have timed out. */
    void expire(long nowNanos) {
        List<String> old = ongoing.values().stream()
                .filter(open -> nowNanos - open.beganNanos > TIMEOUT_NANOS)
                .map(open -> open.id)
                .toList();
        old.forEach(this::fence);
    }

    boolean isPending(TopicPartition id) {
        return !has(TransactionFault.UNSTABLE_OFFSETS_TOLD)
                && ongoing.values().stream().anyMatch(open -> open.offsets.containsKey(id));
    }

    // ---- Others of the group ---------------------------------------------------------------------------------------

    /** Another member reads, writes and commits the inputs up to a random offset, exactly once. */
    void workElsewhere(Input input, Random random) {
        long from = Math.max(0, input.committed);
        if (input.ours || isPending(input.id) || from >= input.end) {
            return;
        }
        FinishedSet noted = input.noted();
        long to =
                Math.min(input.end, Math.max(input.finishedTo(), from + random.nextInt((int) (input.end - from) + 1)));
        Transaction theirs = new Transaction("theirs", 0);
        theirs.committed = true;
        for (long at = from; at < to; at++) {
            if (input.visible.get((int) at) && !noted.contains(at)) {
                input.finished.set((int) at);
                for (int part = 0; part < outputsOf(input, at); part++) {
                    Out out = new Out(input, at, part);
                    if (!isRefused(out)) {
                        output.add(new Written(out, theirs));
                        see(out);
                    }
                }
            }
        }
        note("others commit %s@%d", input.id, to);
        input.committed = to;
        input.text = "";
        check();
    }

    // ---- What must hold --------------------------------------------------------------------------------------------

    private AssertionError violated(String what) {
        AssertionError broken = new AssertionError(what);
        violation = violation == null ? broken : violation;
        return broken;
    }

    void throwViolation() {
        if (violation != null) {
            throw violation;
        }
    }

    private void see(Out out) {
        int bit = 1 << out.part;
        int before = out.of.seen.getOrDefault(out.offset, 0);
        if ((before & bit) != 0) {
            throw violated("seen twice: " + out);
        }
        out.of.seen.put(out.offset, before | bit);
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((id, offset) -> {
            Input input = input(id);
            if (offset.offset() < input.committed) {
                throw violated("committed " + id + "@" + offset.offset() + " after " + input.committed);
            }
            if (offset.offset() > input.end) {
                throw violated("committed " + id + "@" + offset.offset() + " past the end " + input.end);
            }
            input.committed = offset.offset();
            input.text = offset.metadata();
        });
    }

    private void check() {
        for (Input input : inputs.values()) {
            FinishedSet noted = input.noted();
            for (int at = input.visible.nextSetBit(0); at >= 0; at = input.visible.nextSetBit(at + 1)) {
                boolean covered = at < input.committed || noted.contains(at);
                int expected = covered ? outputsSeen(input, at) : 0;
                int seen = input.seen.getOrDefault((long) at, 0);
                if (covered && at < input.soughtTo && seen == 0) {
                    continue;
                }
                if (seen != expected) {
                    throw violated("of the outputs of " + input.id + "@" + at + ", which is "
                            + (covered ? "" : "not ") + "committed, these are seen: " + Integer.toBinaryString(seen)
                            + " and not " + Integer.toBinaryString(expected));
                }
                if (covered && !input.finished.get(at)) {
                    throw violated("committed, but not finished: " + input.id + "@" + at);
                }
            }
        }
    }

    /** Returns whether all inputs are committed and no transaction is open. */
    boolean isThrough() {
        return areAllCommitted() && ongoing.isEmpty();
    }

    boolean areAllCommitted() {
        return inputs.values().stream().allMatch(input -> isCommitted(input, input.end));
    }

    static boolean isCommitted(Input input, long end) {
        FinishedSet noted = input.noted();
        int at = input.visible.nextSetBit((int) Math.max(0, input.committed));
        while (at >= 0 && noted.contains(at)) {
            at = input.visible.nextSetBit(at + 1);
        }
        return at < 0 || at >= end;
    }

    /** Requires outputs in order in each partition. */
    void requireOrder() {
        Map<Input, Out> last = new HashMap<>();
        for (Written written : output) {
            if (written.by.committed) {
                Out before = last.put(written.out.of, written.out);
                if (before != null && isBefore(written.out, before)) {
                    throw violated(written.out + " stands behind " + before);
                }
            }
        }
    }

    private static boolean isBefore(Out out, @Nullable Out other) {
        return other != null && (out.offset < other.offset || (out.offset == other.offset && out.part < other.part));
    }
}
