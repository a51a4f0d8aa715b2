package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.MalformedResponseException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** A broker with the partitions that are asked of it, one connection, one fetch session. Confined to one thread. */
final class FetchBroker implements BrokerConnection.Listener {

    private static final System.Logger LOG = System.getLogger(FetchBroker.class.getName());
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Side by side by topic, as the requests want them. */
    private static final Comparator<FetchedPartition> ORDER = Comparator.<FetchedPartition>comparingInt(
                    each -> each.topic.ordinal)
            .thenComparingInt(each -> each.number);

    final int id;
    private final ConsumerContext context;
    private final FetchAnswers answers;
    private final FetchSession fetches;
    private final RetryBackoff backoff;

    /** The time when it may be asked again who is nearer: whom it named could not be had. */
    private final RetryBackoff nearer;

    private final List<FetchedPartition> partitions = new ArrayList<>();

    private String host;
    private int port;
    private @Nullable BrokerConnection connection;

    /** Kept from one connection to the next while there are partitions. */
    private @Nullable ConnectionBuffers buffers;

    private boolean fetchUnderWay;
    private boolean offsetsUnderWay;

    /** Attempts to connect since the last connection. */
    private int attempts;

    /** True if it is to connect once although nothing is asked here yet. */
    private boolean wanted;

    /** The session ends with the next request, so that an answer under way must not prolong it. */
    private boolean restarted;

    private boolean throttled;
    private long throttledUntilNanos;

    FetchBroker(int id, String host, int port, ConsumerContext context, FetchAnswers answers) {
        this.id = id;
        this.host = host;
        this.port = port;
        this.context = context;
        this.answers = answers;
        this.fetches = new FetchSession(context.fetchRequest());
        this.backoff = context.newBackoff();
        this.nearer = context.newBackoff();
    }

    /** It may have moved. */
    void address(String newHost, int newPort) {
        if (newPort != port || !newHost.equals(host)) {
            host = newHost;
            port = newPort;
            close("the broker has another address now");
        }
    }

    void add(FetchedPartition partition) {
        partition.broker = this;
        partition.inSession = false;
        partitions.add(partition);
        partitions.sort(ORDER);
    }

    /**
     * The session still has it, and ends with that. What was received here and waits keeps no buffer from those that
     * stay.
     */
    void remove(FetchedPartition partition) {
        context.counters().add(ConsumerCounters.COPIED, partition.cursor.detach());
        partitions.remove(partition);
        partition.broker = null;
        partition.inSession = false;
        partition.forgetQuestion();
        restart();
    }

    /** Partitions whose leader is another broker: they need not wait for this one. */
    List<FetchedPartition> followed() {
        return partitions.stream().filter(FetchedPartition::isFollowing).toList();
    }

    /** Returns whether a connection stands. If not, one is made, though nothing is asked here yet. */
    boolean prepare() {
        wanted = connection == null;
        return connection != null && connection.isReady();
    }

    /**
     * A replica that it named as nearer could not be had: for a while it sends the records itself, longer each time.
     */
    void nearerFailed(long nowNanos) {
        // Once for all partitions of an answer.
        if (nearer.isDue(nowNanos)) {
            nearer.failed(nowNanos);
        }
    }

    /** A replica that it named does what it should. */
    void nearerServes() {
        nearer.succeeded();
    }

    /** The next fetch names everything. */
    void restart() {
        restarted = fetchUnderWay;
        fetches.restart();
    }

    int poll(long nowNanos) {
        BrokerConnection current = connection;
        if (current == null) {
            // Without a free buffer not even the greeting could be received.
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
            LOG.log(System.Logger.Level.WARNING, this + ": " + e.getMessage());
            backoff.failed(nowNanos);
            answers.lost(this);
        }
    }

    /** Chooses another address with each attempt, because a name may have several and some cannot be reached. */
    private InetSocketAddress nextAddress() throws UnknownHostException {
        InetAddress[] all = InetAddress.getAllByName(host);
        return new InetSocketAddress(all[attempts++ % all.length], port);
    }

    private void lost(BrokerConnection closed, long nowNanos) {
        LOG.log(System.Logger.Level.INFO, this + " disconnected: " + closed.closeReason());
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
            String what = this + " sent " + e.getMessage();
            close(what);
            throw new LeanException(what, e);
        }
    }

    /** A fetch was answered without an error of the whole. */
    void fetchAnswered(int sessionId) {
        fetches.answered(sessionId, restarted);
        restarted = false;
    }

    /** A fetch was refused as a whole: the next one is as if it were the first. */
    void fetchRefused() {
        fetches.forget();
        restarted = false;
    }

    /** The broker asks to be left alone for a while. */
    void throttle(int millis, long nowNanos) {
        if (millis > 0) {
            throttled = true;
            throttledUntilNanos = nowNanos + millis * NANOS_PER_MILLI;
            context.counters().add(ConsumerCounters.THROTTLED, millis);
        }
    }

    /**
     * Frees the buffers of paused partitions if both are taken and something is to come: nothing else would. Returns
     * how many bytes had to be copied.
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

    /** Returns whether an answer is to come. One that came and was not read would end each wait at once. */
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
        return "broker " + id + " at " + host + ":" + port;
    }
}
