package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.group.GroupQueries;
import dev.weir.kafka.internal.share.group.GroupStart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects the end of a bounded read: the group has read each partition to its end offset at the start. Logs the missing
 * partitions if this member has finished nothing for a while. Confined to the thread that monitors the group.
 */
final class GroupEnd {

    private static final Logger LOG = LoggerFactory.getLogger(GroupEnd.class);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final int MAX_PLACES = 5;

    private final String group;
    private final GroupQueries admin;
    private final Map<TopicPartition, Long> ends;
    private final boolean readsCommitted;

    private long settled = -1;
    private long quietSinceNanos;

    GroupEnd(String group, GroupQueries admin, GroupStart start) {
        this.group = group;
        this.admin = admin;
        this.ends = start.ends();
        this.readsCommitted = GroupStart.readsCommitted(start.config());
    }

    boolean isReached(Map<TopicPartition, SharePartitionOffsetInfo> offsets, long settledSoFar, long nowNanos) {
        List<TopicPartition> missing = missing(offsets);
        if (!missing.isEmpty() && readsCommitted) {
            missing = missingOfStable(missing);
        }
        if (!missing.isEmpty()) {
            String waits = waitsFor(missing, offsets, settledSoFar, nowNanos);
            if (waits != null) {
                LOG.warn(
                        "share group {} is not at its end yet, and nothing is finished here: it waits for {}",
                        group,
                        waits);
            }
        }
        return missing.isEmpty();
    }

    private List<TopicPartition> missing(Map<TopicPartition, SharePartitionOffsetInfo> offsets) {
        List<TopicPartition> missing = new ArrayList<>();
        ends.forEach((partition, end) -> {
            SharePartitionOffsetInfo info = offsets.get(partition);
            // The start offset may be out of date by one write, but the lag is current.
            if (info == null || (info.startOffset() < end && info.lag().orElse(-1L) != 0)) {
                missing.add(partition);
            }
        });
        return missing;
    }

    /**
     * Returns the partitions that the group has not read to the last stable offset. The reported lag extends to the end
     * of the log, so the offsets after the last stable offset are subtracted. A partition counts as missing if its last
     * stable offset moves during the queries.
     */
    private List<TopicPartition> missingOfStable(Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> logEnds = admin.ends(partitions);
        Map<TopicPartition, Long> before = admin.stableEnds(partitions);
        Map<TopicPartition, SharePartitionOffsetInfo> offsets = admin.offsets(partitions);
        Map<TopicPartition, Long> after = admin.stableEnds(partitions);
        List<TopicPartition> missing = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            SharePartitionOffsetInfo info = offsets.get(partition);
            Long stable = before.get(partition);
            Long logEnd = logEnds.get(partition);
            boolean isRead = info != null
                    && stable != null
                    && logEnd != null
                    && stable.equals(after.get(partition))
                    && info.lag().orElse(Long.MAX_VALUE) <= logEnd - stable;
            if (!isRead) {
                missing.add(partition);
            }
        }
        return missing;
    }

    /** Returns the partitions to log; null if this member has recently finished records or logged partitions. */
    @Nullable
    String waitsFor(
            List<TopicPartition> missing,
            Map<TopicPartition, SharePartitionOffsetInfo> offsets,
            long settledSoFar,
            long nowNanos) {
        if (settledSoFar != settled) {
            settled = settledSoFar;
            quietSinceNanos = nowNanos;
        }
        if (nowNanos - quietSinceNanos <= QUIET_NANOS) {
            return null;
        }
        quietSinceNanos = nowNanos;
        String first = missing.stream()
                .limit(MAX_PLACES)
                .map(partition -> place(partition, offsets.get(partition)))
                .collect(Collectors.joining(", "));
        return missing.size() > MAX_PLACES ? first + " and " + (missing.size() - MAX_PLACES) + " more" : first;
    }

    private String place(TopicPartition partition, @Nullable SharePartitionOffsetInfo info) {
        String end = partition + " to " + ends.get(partition);
        if (info == null) {
            return end + " (not begun)";
        }
        String lag = info.lag().isPresent() ? "lag " + info.lag().get() : "lag unknown, as without a leader";
        return end + " (at " + info.startOffset() + ", " + lag + ")";
    }
}
