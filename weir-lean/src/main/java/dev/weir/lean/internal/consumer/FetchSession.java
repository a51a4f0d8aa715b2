package dev.weir.lean.internal.consumer;

import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.wire.FetchRequest;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A fetch session with one broker (KIP-227). Remembers the partitions in the session, so that requests list only
 * changes. Confined to one thread; allocates nothing.
 */
final class FetchSession {

    private static final int NO_SESSION = 0;
    private static final int FIRST_EPOCH = 0;

    private final FetchRequest request;
    private int sessionId = NO_SESSION;
    private int epoch = FIRST_EPOCH;

    private int first = -1;

    FetchSession(FetchRequest request) {
        this.request = request;
    }

    /** Makes the next request start a new session with all partitions. */
    void restart() {
        epoch = FIRST_EPOCH;
    }

    /** Reports that the broker has lost the session. The next request starts a new one. */
    void forget() {
        sessionId = NO_SESSION;
        epoch = FIRST_EPOCH;
    }

    /** Reports a response without an error. The session continues unless it was restarted or has no id. */
    void answered(int session, boolean restarted) {
        sessionId = session;
        if (session == NO_SESSION || restarted) {
            epoch = FIRST_EPOCH;
        } else {
            epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
        }
    }

    /**
     * Sends a fetch request for the next offsets of the partitions. Returns false if there is nothing to fetch.
     *
     * <p>A broker fills its response in the order of the request, so later partitions may get no records. Within a
     * session, the broker moves partitions that had records to the end. Each full request therefore starts with another
     * partition.
     *
     * @param partitions partitions of the same topic must be adjacent
     * @param withRack see {@link FetchRequest#end}
     */
    boolean send(BrokerConnection connection, List<FetchedPartition> partitions, boolean withRack) {
        boolean wanted = false;
        for (int i = 0; i < partitions.size(); i++) {
            FetchedPartition partition = partitions.get(i);
            if (epoch == FIRST_EPOCH) {
                partition.inSession = false;
            }
            wanted |= partition.wantsFetch();
        }
        if (!wanted) {
            return false;
        }
        if (epoch == FIRST_EPOCH) {
            first++;
        }
        first = first < partitions.size() ? first : 0;
        short version = connection.fetchVersion();
        ByteBuffer out = connection.outgoing(request.sizeFor(2 * partitions.size()));
        request.begin(out, version, connection.nextCorrelation(), sessionId, epoch);
        list(out, partitions, false);
        list(out, partitions, true);
        request.end(out, withRack);
        connection.sent(ApiKeys.FETCH, version);
        return true;
    }

    private void list(ByteBuffer out, List<FetchedPartition> partitions, boolean forgotten) {
        int size = partitions.size();
        int topics = 0;
        for (int i = 0; i < size; i = endOfTopic(partitions, i)) {
            topics += count(partitions, i, forgotten) > 0 ? 1 : 0;
        }
        FetchRequest.topics(out, topics);
        for (int i = 0; topics > 0 && i < size; ) {
            int end = endOfTopic(partitions, i);
            int count = count(partitions, i, forgotten);
            if (count > 0) {
                FetchedTopic topic = at(partitions, i).topic;
                FetchRequest.topic(out, topic.idHigh, topic.idLow, count);
                for (int at = i; at < end; at++) {
                    entry(out, at(partitions, at), forgotten);
                }
                FetchRequest.endTopic(out);
            }
            i = end;
        }
    }

    /**
     * Returns the partition at index {@code i} of the request. The request starts at index {@link #first} of the list
     * and wraps around.
     */
    private FetchedPartition at(List<FetchedPartition> partitions, int i) {
        int place = first + i;
        return partitions.get(place < partitions.size() ? place : place - partitions.size());
    }

    private void entry(ByteBuffer out, FetchedPartition partition, boolean forgotten) {
        if (!isListed(partition, forgotten)) {
            return;
        }
        if (forgotten) {
            FetchRequest.forgotten(out, partition.number);
            partition.inSession = false;
            return;
        }
        request.partition(out, partition.number, partition.leader.epoch(), partition.fetchOffset, partition.lastEpoch);
        partition.inSession = true;
        partition.sentOffset = partition.fetchOffset;
        partition.sentLeaderEpoch = partition.leader.epoch();
        partition.sentLastEpoch = partition.lastEpoch;
    }

    private static boolean isListed(FetchedPartition partition, boolean forgotten) {
        return forgotten
                ? partition.inSession && !partition.wantsFetch()
                : partition.wantsFetch() && partition.isNewToSession();
    }

    private int count(List<FetchedPartition> partitions, int from, boolean forgotten) {
        int count = 0;
        int end = endOfTopic(partitions, from);
        for (int i = from; i < end; i++) {
            count += isListed(at(partitions, i), forgotten) ? 1 : 0;
        }
        return count;
    }

    private int endOfTopic(List<FetchedPartition> partitions, int from) {
        FetchedTopic topic = at(partitions, from).topic;
        int i = from;
        while (i < partitions.size() && at(partitions, i).topic.ordinal == topic.ordinal) {
            i++;
        }
        return i;
    }
}
