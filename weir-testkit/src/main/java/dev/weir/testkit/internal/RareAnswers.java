package dev.weir.testkit.internal;

import dev.weir.testkit.RareAnswer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Decides at random whether a broker's response is replaced with a {@linkplain RareAnswer rare one}. For each kind,
 * only the seed determines whether the n-th eligible response is replaced. Thread-safe.
 */
final class RareAnswers {

    private static final long MAX_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The first request version for which a broker may return {@code TRANSACTION_ABORTABLE}. */
    private static final int ABORTABLE_FROM = 4;

    private final long seed;
    private volatile Set<RareAnswer> kinds;
    private final Map<RareAnswer, Count> counts = new EnumMap<>(RareAnswer.class);

    /** The numbers of eligible and of replaced responses of one kind. */
    private static final class Count {
        final AtomicLong seen = new AtomicLong();
        final AtomicLong given = new AtomicLong();
    }

    RareAnswers(long seed, Set<RareAnswer> kinds) {
        this.seed = seed;
        this.kinds = kinds;
        for (RareAnswer each : RareAnswer.values()) {
            counts.put(each, new Count());
        }
    }

    private Count count(RareAnswer kind) {
        return Objects.requireNonNull(counts.get(kind));
    }

    /** Returns n if one in n responses is replaced by this kind. */
    private static int oneIn(RareAnswer kind) {
        return switch (kind) {
            case COMMIT_TIMED_OUT -> 4;
            case REBALANCE, TRANSACTION_ABORTABLE -> 6;
            case EMPTY_FETCH -> 8;
            case WRITE_TIMED_OUT -> 12;
            case LATE -> 40;
            case CONNECTION_LOST -> 200;
        };
    }

    void stop() {
        kinds = Set.of();
    }

    /** Returns how often each kind of rare response was given. */
    Map<RareAnswer, Long> given() {
        Map<RareAnswer, Long> all = new EnumMap<>(RareAnswer.class);
        counts.forEach((kind, count) -> all.put(kind, count.given.get()));
        return all;
    }

    /** Returns the delay of a response; usually 0. */
    long lateNanos() {
        if (!draw(RareAnswer.LATE)) {
            return 0;
        }
        // Counts in draw() are never negative, so this draw differs from all of them.
        long mixed = mixed(RareAnswer.LATE, -count(RareAnswer.LATE).given.get());
        return 1 + Math.floorMod(mixed, MAX_LATE_NANOS);
    }

    boolean losesConnection() {
        return draw(RareAnswer.CONNECTION_LOST);
    }

    /**
     * Changes the response into a rare one if the draw says so. Returns whether it was changed. The other overloads do
     * the same.
     */
    boolean change(FetchResponseData answer) {
        boolean hasRecords = answer.responses().stream()
                .flatMap(topic -> topic.partitions().stream())
                .anyMatch(each -> each.records() != null && each.records().sizeInBytes() > 0);
        if (!hasRecords || !draw(RareAnswer.EMPTY_FETCH)) {
            return false;
        }
        answer.responses().forEach(topic -> topic.partitions().forEach(each -> each.setRecords(MemoryRecords.EMPTY)));
        return true;
    }

    boolean change(ProduceResponseData answer) {
        boolean isWritten = answer.responses().stream()
                .flatMap(topic -> topic.partitionResponses().stream())
                .anyMatch(each -> each.errorCode() == Errors.NONE.code());
        if (!isWritten || !draw(RareAnswer.WRITE_TIMED_OUT)) {
            return false;
        }
        answer.responses()
                .forEach(topic -> topic.partitionResponses().stream()
                        .filter(each -> each.errorCode() == Errors.NONE.code())
                        .forEach(each -> each.setErrorCode(Errors.REQUEST_TIMED_OUT.code())
                                .setBaseOffset(-1)
                                .setLogStartOffset(-1)));
        return true;
    }

    boolean change(OffsetCommitResponseData answer) {
        if (!draw(RareAnswer.COMMIT_TIMED_OUT)) {
            return false;
        }
        answer.topics()
                .forEach(topic -> topic.partitions().stream()
                        .filter(each -> each.errorCode() == Errors.NONE.code())
                        .forEach(each -> each.setErrorCode(Errors.REQUEST_TIMED_OUT.code())));
        return true;
    }

    boolean change(HeartbeatResponseData answer) {
        if (answer.errorCode() != Errors.NONE.code() || !draw(RareAnswer.REBALANCE)) {
            return false;
        }
        answer.setErrorCode(Errors.REBALANCE_IN_PROGRESS.code());
        return true;
    }

    boolean change(ConsumerGroupHeartbeatResponseData answer) {
        boolean isMember = answer.errorCode() == Errors.NONE.code() && answer.memberEpoch() > 0;
        if (!isMember || !draw(RareAnswer.REBALANCE)) {
            return false;
        }
        answer.setErrorCode(Errors.FENCED_MEMBER_EPOCH.code())
                .setErrorMessage("drawn by the testkit")
                .setMemberEpoch(0)
                .setAssignment(null);
        return true;
    }

    boolean change(TxnOffsetCommitResponseData answer, short version) {
        if (version < ABORTABLE_FROM || !draw(RareAnswer.TRANSACTION_ABORTABLE)) {
            return false;
        }
        answer.topics()
                .forEach(topic ->
                        topic.partitions().forEach(each -> each.setErrorCode(Errors.TRANSACTION_ABORTABLE.code())));
        return true;
    }

    private boolean draw(RareAnswer kind) {
        if (!kinds.contains(kind)) {
            return false;
        }
        Count count = count(kind);
        boolean rare = Math.floorMod(mixed(kind, count.seen.getAndIncrement()), oneIn(kind)) == 0;
        if (rare) {
            count.given.incrementAndGet();
        }
        return rare;
    }

    /** Mixes the arguments with the seed, like SplittableRandom. */
    private long mixed(RareAnswer kind, long number) {
        long z = seed + kind.name().hashCode() + 0x9E3779B97F4A7C15L * (1 + number);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
