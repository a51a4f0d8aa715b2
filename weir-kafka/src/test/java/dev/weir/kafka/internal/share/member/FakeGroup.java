package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.internal.share.group.GroupQueries;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A share group whose state a test sets. Confined to one thread at a time. */
final class FakeGroup implements GroupQueries {

    final Map<TopicPartition, SharePartitionOffsetInfo> offsets = new HashMap<>();
    final Map<TopicPartition, Long> ends = new HashMap<>();
    final Map<TopicPartition, Long> stableEnds = new HashMap<>();

    /** The last stable offsets after the first query for them; null if they stay the same. */
    @Nullable
    Map<TopicPartition, Long> laterStableEnds;

    /** The partitions of each query for offsets. */
    final List<List<TopicPartition>> asked = new ArrayList<>();

    ShareGroupConfig config = ShareClientStub.group(5, true);

    /** Thrown by each query; null if queries succeed. */
    @Nullable
    RuntimeException failure;

    int configReads;
    boolean closed;
    private int stableReads;

    static SharePartitionOffsetInfo at(long offset, long lag) {
        return new SharePartitionOffsetInfo(offset, Optional.empty(), lag < 0 ? Optional.empty() : Optional.of(lag));
    }

    private void failIfSet() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public ShareGroupConfig config() {
        failIfSet();
        configReads++;
        return config;
    }

    @Override
    public Map<TopicPartition, SharePartitionOffsetInfo> offsets(Collection<TopicPartition> partitions) {
        failIfSet();
        asked.add(List.copyOf(partitions));
        return only(partitions, offsets);
    }

    @Override
    public Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        return only(partitions, ends);
    }

    @Override
    public Map<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> later = laterStableEnds;
        return only(partitions, stableReads++ % 2 == 1 && later != null ? later : stableEnds);
    }

    private static <T> Map<TopicPartition, T> only(Collection<TopicPartition> partitions, Map<TopicPartition, T> all) {
        Map<TopicPartition, T> found = new HashMap<>(all);
        found.keySet().retainAll(partitions);
        return found;
    }

    @Override
    public void close() {
        closed = true;
    }
}
