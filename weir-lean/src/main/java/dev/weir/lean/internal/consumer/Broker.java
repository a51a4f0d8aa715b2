package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.net.Connection;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.MalformedResponseException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** A broker with the partitions that are asked of it, one connection, one fetch session. Confined to one thread. */
final class Broker implements Connection.Listener {

    private static final System.Logger LOG = System.getLogger(Broker.class.getName());
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Side by side by topic, as the requests want them. */
    private static final Comparator<Partition> ORDER =
            Comparator.<Partition>comparingInt(each -> each.topic.ordinal).thenComparingInt(each -> each.number);

    final int id;
    private final Context context;
    private final Answers answers;
    private final Fetches fetches;
    private final Backoff backoff;
    private final List<Partition> partitions = new ArrayList<>();

    private String host;
    private int port;
    private @Nullable Connection connection;
    private boolean fetchUnderWay;

    /** The session ends with the next request, so that an answer under way must not prolong it. */
    private boolean restarted;

    private boolean throttled;
    private long throttledUntilNanos;

    Broker(int id, String host, int port, Context context, Answers answers) {
        this.id = id;
        this.host = host;
        this.port = port;
        this.context = context;
        this.answers = answers;
        this.fetches = new Fetches(context.fetchRequest());
        this.backoff = context.newBackoff();
    }

    /** It may have moved. */
    void address(String newHost, int newPort) {
        if (newPort != port || !newHost.equals(host)) {
            host = newHost;
            port = newPort;
            close("the broker has another address now");
        }
    }

    void add(Partition partition) {
        partition.broker = this;
        partition.inSession = false;
        partition.resolveUnderWay = false;
        partitions.add(partition);
        partitions.sort(ORDER);
    }

    /** The session still has it, and ends with that. */
    void remove(Partition partition) {
        partitions.remove(partition);
        partition.broker = null;
        partition.inSession = false;
        restart();
    }

    /** Those whose leader is another one: they need not wait for this one. */
    List<Partition> followed() {
        return partitions.stream().filter(Partition::isFollowing).toList();
    }

    /** The next fetch names everything. */
    void restart() {
        restarted = fetchUnderWay;
        fetches.restart();
    }

    int poll(long nowNanos) {
        Connection current = connection;
        if (current == null) {
            if (partitions.isEmpty() || !backoff.isDue(nowNanos)) {
                return 0;
            }
            connect(nowNanos);
            return 1;
        }
        try {
            int work = current.poll(nowNanos);
            if (current.isReady()) {
                backoff.succeeded();
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
        context.counters().add(Counters.CONNECTS, 1);
        try {
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new IOException("no address for this name");
            }
            connection = context.connect(address, nowNanos, this);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, this + ": " + e.getMessage());
            backoff.failed(nowNanos);
            answers.lost(this);
        }
    }

    private void lost(Connection closed, long nowNanos) {
        LOG.log(System.Logger.Level.INFO, this + " disconnected: " + closed.closeReason());
        context.counters().add(Counters.DISCONNECTS, 1);
        connection = null;
        fetchUnderWay = false;
        restarted = false;
        fetches.forget();
        backoff.failed(nowNanos);
        for (Partition partition : partitions) {
            partition.inSession = false;
            partition.resolveUnderWay = false;
        }
        answers.lost(this);
    }

    private int ask(Connection current, long nowNanos) {
        if (throttled && nowNanos - throttledUntilNanos < 0) {
            return 0;
        }
        throttled = false;
        int work = 0;
        if (current.canSend()) {
            work += Offsets.ask(current, partitions, context.settings().readCommitted(), nowNanos);
        }
        if (!fetchUnderWay && current.canSend() && current.canReceive() && fetches.send(current, partitions)) {
            fetchUnderWay = true;
            work++;
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
            context.counters().add(Counters.THROTTLED, millis);
        }
    }

    /** Where both buffers are taken, those of paused partitions are freed: nothing else would. */
    void detachPaused() {
        if (connection == null || connection.canReceive()) {
            return;
        }
        for (int i = 0; i < partitions.size(); i++) {
            Partition partition = partitions.get(i);
            if (partition.paused) {
                partition.cursor.detach();
            }
        }
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
