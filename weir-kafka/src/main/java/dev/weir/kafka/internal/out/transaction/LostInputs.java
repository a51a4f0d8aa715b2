package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;

/**
 * Detects elements whose inputs this run no longer owns. Confined to the stage's thread. Some methods require the lock
 * of the {@link TransactionsOfRun}.
 */
final class LostInputs<K, V> {

    /** An input: an element emitted by a source. The {@code source} is compared by identity. */
    record Root(AckTarget source, long token) {}

    private final TransactionsOfRun<K, V> run;
    private final TransactionCommitter<K, V> committer;

    /** The source of this run that was checked last. */
    private AckTarget lastOwn = AckTarget.NONE;

    // The last checked element with several inputs that this run owned, and one input per source.
    private AckTarget livingJoint = AckTarget.NONE;
    private long livingToken;
    private Collection<Root> livingSources = List.of();

    LostInputs(TransactionsOfRun<K, V> run, TransactionCommitter<K, V> committer) {
        this.run = run;
        this.committer = committer;
    }

    /**
     * If this run no longer owns one of an element's inputs, drops the element, ends its acknowledgement and returns
     * true. If the run still owns other inputs of the element, also aborts the transaction to read them again. Must be
     * called with the lock held.
     */
    boolean isDropped(AckTarget target, long token) {
        if (target == AckTarget.NONE) {
            return false;
        }
        if (target instanceof OffsetTracker) {
            return isGone(target, token) && target.dropIfRevoked(token);
        }
        if (isKnownToLive(target, token)) {
            return false;
        }
        List<Root> living = new ArrayList<>();
        boolean[] revoked = {false};
        target.roots(token, (source, rootToken) -> {
            if (isGone(source, rootToken)) {
                revoked[0] = true;
            } else {
                living.add(new Root(source, rootToken));
            }
        });
        if (!revoked[0]) {
            livingJoint = target;
            livingToken = token;
            livingSources = onePerSource(living);
            return false;
        }
        target.abandon(token);
        if (!living.isEmpty()) {
            living.forEach(root -> run.aborted.readAgain(root.source()));
            committer.abortFilling(new KafkaException("an element of several inputs lost one of them in a rebalance"));
        }
        return true;
    }

    /** Returns one input per source, because a source loses all its inputs at the same time. */
    private static Collection<Root> onePerSource(List<Root> roots) {
        Map<AckTarget, Root> bySource = new HashMap<>();
        roots.forEach(root -> bySource.putIfAbsent(root.source(), root));
        return bySource.values();
    }

    private boolean isKnownToLive(AckTarget target, long token) {
        if (target != livingJoint || token != livingToken) {
            return false;
        }
        for (Root root : livingSources) {
            if (isGone(root.source(), root.token())) {
                return false;
            }
        }
        return true;
    }

    boolean isGone(AckTarget source, long token) {
        // Checks each source only once. A source of this run stays registered until it is revoked.
        if (source != lastOwn) {
            if (run.isForeign(source, token)) {
                throw new KafkaPipelineException(foreign(source.placeOf(token)));
            }
            lastOwn = source;
        }
        return source.isRevoked(token) && !run.leaving.contains(source);
    }

    private static String foreign(String place) {
        return "an exactly-once flow was given an element of another source"
                + (place.isEmpty() ? "" : ", " + place)
                + ": that source would count the element as done before the transaction with its records is"
                + " committed. Read all topics by one subscription (KafkaSource.from(settings, \"a\", \"b\")),"
                + " or write the other source's records with their own pipeline";
    }
}
