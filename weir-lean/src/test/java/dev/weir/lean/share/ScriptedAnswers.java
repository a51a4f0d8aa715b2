package dev.weir.lean.share;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Records a session's events. Locks last for three seconds, and each acquired offset has a record. */
final class ScriptedAnswers implements SessionAnswers {

    final List<TopicIdPartition> moved = new ArrayList<>();
    final List<String> leaders = new ArrayList<>();
    final List<AcquiredRanges> acquired = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    long askedNanos = -1;
    int brokersMoved;

    @Override
    public int handOn(List<PartitionAnswer> partitionAnswers, long asked, long nowNanos) {
        askedNanos = asked;
        int records = 0;
        for (PartitionAnswer lending : partitionAnswers) {
            acquired.add(lending.of());
            for (AcquiredRecords each : lending.data().acquiredRecords()) {
                records += (int) (each.lastOffset() - each.firstOffset() + 1);
            }
        }
        return records;
    }

    @Override
    public long lockNanos() {
        return 3_000_000_000L;
    }

    @Override
    public boolean isNews(TopicIdPartition partition, Errors error) {
        refusals.add(partition.partition() + " " + error);
        return false;
    }

    @Override
    public void moved(TopicIdPartition partition) {
        moved.add(partition);
    }

    @Override
    public void leads(TopicIdPartition partition, int node, int epoch, @Nullable InetSocketAddress address) {
        leaders.add(partition.partition() + " " + node + " " + epoch + " " + address);
    }

    @Override
    public void moved() {
        brokersMoved++;
    }
}
