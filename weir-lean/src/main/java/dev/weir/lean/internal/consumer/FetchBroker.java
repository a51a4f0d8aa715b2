package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.FailureText;
import dev.weir.lean.internal.wire.MalformedResponseException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker with its connection, its fetch session, and the partitions fetched from it. Confined to one thread. */
final class FetchBroker implements BrokerConnection.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(FetchBroker.class);
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Keeps the partitions of a topic together, as fetch requests require. */
    private static final Comparator<FetchedPartition> ORDER = Comparator.<FetchedPartition>comparingInt(
                    each -> each.topic.ordinal)
            .thenComparingInt(each -> each.number);

    final int id;
    private final BrokerAddress address;
    private final ConsumerContext context;
    private final FetchAnswers answers;
    private final FetchSession fetches;
    private final RetryBackoff backoff;

    /**
     * Backoff after a nearer replica (KIP-392) could not be used. Until it expires, the leader sends the records
     * itself.
     */
    private final RetryBackoff nearer;

    private final List<FetchedPartition> partitions = new ArrayList<>();

    private @Nullable BrokerConnection connection;

    /** Buffers of the connection, kept for the next connection if partitions are still fetched from this broker. */
    private @Nullable ConnectionBuffers buffers;

    private boolean fetchUnderWay;
    private boolean offsetsUnderWay;

    /** The number of connection attempts since the last successful one. */
    private int attempts;

    /** True to connect once although no partition is fetched from this broker yet. */
    private boolean wanted;

    /** True if the session must restart, but a request of the old session is still in flight. */
    private boolean restarted;

    private boolean throttled;
    private long throttledUntilNanos;

    FetchBroker(int id, BrokerAddress address, ConsumerContext context, FetchAnswers answers) {
        this.id = id;
        this.address = address;
        this.context = context;
        this.answers = answers;
        this.fetches = new FetchSession(context.fetchRequest());
        this.backoff = context.newBackoff();
        this.nearer = context.newBackoff();
    }

    void add(FetchedPartition partition) {
        partition.broker = this;
        partition.inSession = false;
        partitions.add(partition);
        partitions.sort(ORDER);
    }

    /** Removes a partition and restarts the fetch session. Copies the undelivered records to free the buffer. */
    void remove(FetchedPartition partition) {
        context.counters().add(ConsumerCounters.COPIED, partition.cursor.detach());
        partitions.remove(partition);
        partition.broker = null;
        partition.inSession = false;
        partition.forgetQuestion();
        restart();
    }

    /** Partitions fetched from this broker although another broker leads them. */
    List<FetchedPartition> followed() {
        return partitions.stream().filter(FetchedPartition::isFollowing).toList();
    }

    /** Returns whether the broker is connected. If not, the next polls connect, even without a partition. */
    boolean prepare() {
        wanted = connection == null;
        return connection != null && connection.isReady();
    }

    /** Reports that the nearer replica named by this broker could not be used. */
    void nearerFailed(long nowNanos) {
        // Count the failure once, even if a response names the replica for several partitions.
        if (nearer.isDue(nowNanos)) {
            nearer.failed(nowNanos);
        }
    }

    /** Reports that the nearer replica named by this broker works. */
    void nearerServes() {
        nearer.succeeded();
    }

    /** Makes the next fetch request list all partitions. */
    void restart() {
        restarted = fetchUnderWay;
        fetches.restart();
    }

    int poll(long nowNanos) {
        BrokerConnection current = connection;
        if (current == null) {
            // Do not connect without a free buffer: the version response could not be received.
            if ((partitions.isEmpty() && !wanted) || !canReceive() || !backoff.isDue(nowNanos)) {
                return 0;
            }
            wanted = false;
            connect(nowNanos);
            return 1;
        }
        try {
            int work = current.poll(nowNanos);
            if (current.isReady()) {
                backoff.succeeded();
                attempts = 0;
                work += ask(current, nowNanos);
            }
            return work;
        } finally {
            if (current.isClosed()) {
                lost(current, nowNanos);
            }
        }
    }

    private void connect(long nowNanos) {
        context.counters().add(ConsumerCounters.CONNECTS, 1);
        if (buffers == null) {
            buffers = context.newBuffers();
        }
        try {
            connection = context.connect(nextAddress(), buffers, nowNanos, this);
        } catch (IOException e) {
            LOG.warn("{}: {}", this, FailureText.of(e));
            backoff.failed(nowNanos);
            answers.lost(this);
        }
    }

    /** Returns the address for the next connection attempt. Each attempt uses another address of the broker. */
    private InetSocketAddress nextAddress() {
        List<InetSocketAddress> all = address.get();
        return all.get(attempts++ % all.size());
    }

    private void lost(BrokerConnection closed, long nowNanos) {
        LOG.info("{} disconnected: {}", this, closed.closeReason());
        context.counters().add(ConsumerCounters.DISCONNECTS, 1);
        connection = null;
        if (partitions.isEmpty()) {
            buffers = null;
        }
        fetchUnderWay = false;
        offsetsUnderWay = false;
        restarted = false;
        fetches.forget();
        backoff.failed(nowNanos);
        for (FetchedPartition partition : partitions) {
            partition.inSession = false;
        }
        answers.lost(this);
    }

    private int ask(BrokerConnection current, long nowNanos) {
        if (throttled && nowNanos - throttledUntilNanos < 0) {
            return 0;
        }
        throttled = false;
        int work = 0;
        if (!offsetsUnderWay && current.canSend()) {
            offsetsUnderWay =
                    OffsetRequests.ask(current, partitions, context.settings().readCommitted(), nowNanos);
            work += offsetsUnderWay ? 1 : 0;
        }
        if (!fetchUnderWay && current.canSend() && current.canReceive()) {
            fetchUnderWay = fetches.send(current, partitions, nearer.isDue(nowNanos));
            work += fetchUnderWay ? 1 : 0;
        }
        return work;
    }

    @Override
    public void onResponse(ApiKeys api, short version, ReceiveBuffer buffer, int sizeBytes) {
        try {
            if (api == ApiKeys.FETCH) {
                fetchUnderWay = false;
                answers.fetched(this, buffer, sizeBytes);
            } else {
                offsetsUnderWay = false;
                if (buffer.isCut(sizeBytes)) {
                    throw new MalformedResponseException("offsets of " + sizeBytes
                            + " bytes, more than maxResponseBytes="
                            + context.settings().maxResponseBytes());
                }
                answers.resolved(this, version, buffer);
            }
        } catch (MalformedResponseException e) {
            String what = this + " sent " + FailureText.of(e);
            close(what);
            throw new LeanException(what, e);
        }
    }

    /** Reports a fetch response without a top-level error. */
    void fetchAnswered(int sessionId) {
        fetches.answered(sessionId, restarted);
        restarted = false;
    }

    /** Reports a fetch response with a top-level error. The next request starts a new session. */
    void fetchRefused() {
        fetches.forget();
        restarted = false;
    }

    /** Reports that the broker throttles this client. */
    void throttle(int millis, long nowNanos) {
        if (millis > 0) {
            throttled = true;
            throttledUntilNanos = nowNanos + millis * NANOS_PER_MILLI;
            context.counters().add(ConsumerCounters.THROTTLED, millis);
        }
    }

    /**
     * Copies the records of paused partitions out of the receive buffers if an expected response has no free buffer.
     * Returns the number of copied bytes.
     */
    int detachPaused() {
        if (canReceive() || !isAwaited()) {
            return 0;
        }
        int copied = 0;
        for (int i = 0; i < partitions.size(); i++) {
            FetchedPartition partition = partitions.get(i);
            if (partition.paused) {
                copied += partition.cursor.detach();
            }
        }
        context.counters().add(ConsumerCounters.COPIED, copied);
        return copied;
    }

    private boolean canReceive() {
        if (connection != null) {
            return connection.canReceive();
        }
        return buffers == null || buffers.hasFree();
    }

    /** Returns whether a response is expected. An unread response would end every wait for I/O at once. */
    private boolean isAwaited() {
        if (fetchUnderWay || offsetsUnderWay) {
            return true;
        }
        for (int i = 0; i < partitions.size(); i++) {
            FetchedPartition partition = partitions.get(i);
            if (partition.wantsFetch() || partition.state == FetchedPartition.RESOLVING) {
                return true;
            }
        }
        return false;
    }

    void close(String reason) {
        if (connection != null) {
            connection.close(reason);
        }
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
