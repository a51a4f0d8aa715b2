package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.ResponseMessages;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.util.Collection;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A separate connection for metadata, whose responses do not wait behind fetches. Confined to one thread. */
final class MetadataConnection implements BrokerConnection.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(MetadataConnection.class);

    private final ConsumerContext context;
    private final ClusterMetadata metadata;
    private final RetryBackoff backoff;
    private final ConnectionBuffers buffers;
    private @Nullable BrokerConnection connection;

    /** Number of connection failures since the last response. One failure is logged per round over all brokers. */
    private int failures;

    private long nowNanos;

    MetadataConnection(ConsumerContext context, ClusterMetadata metadata) {
        this.context = context;
        this.metadata = metadata;
        this.backoff = context.newBackoff();
        this.buffers = context.newBuffers();
    }

    int poll(long now, Collection<FetchedTopic> topics) {
        nowNanos = now;
        // Poll an open connection even without topics: an unread response would end every wait for I/O at once.
        if (topics.isEmpty() && connection == null) {
            return 0;
        }
        if (!topics.isEmpty() && metadata.leave(now)) {
            close("another broker is asked");
            connection = null;
        }
        BrokerConnection current = connection;
        if (current == null) {
            if (!metadata.isDue(now) || !backoff.isDue(now)) {
                return 0;
            }
            connect();
            return 1;
        }
        int work;
        try {
            work = current.poll(now);
        } finally {
            if (current.isClosed()) {
                lost(current.address() + ": " + current.closeReason());
            }
        }
        if (topics.isEmpty() || !current.canSend() || !metadata.isDue(now)) {
            return work;
        }
        current.send(
                ApiKeys.METADATA,
                ClusterMetadata.VERSION,
                metadata.ask(topics.stream().map(topic -> topic.name), now));
        return work + 1;
    }

    private void connect() {
        try {
            connection = context.connect(metadata.nextAddress(), buffers, nowNanos, this);
        } catch (IOException | RuntimeException e) {
            lost(FailureText.of(e));
        }
    }

    private void lost(String why) {
        connection = null;
        metadata.lost();
        // Count a failure only if a request is pending. Brokers close idle connections.
        if (metadata.isPutOff()) {
            backoff.failed(nowNanos);
            if (failures++ % metadata.size() == 0) {
                LOG.warn("no metadata: {}", why);
            }
        }
    }

    @Override
    public void onResponse(ApiKeys api, short version, ReceiveBuffer buffer, int sizeBytes) {
        if (buffer.isCut(sizeBytes)) {
            close("metadata that are too large");
            throw new LeanException(
                    "metadata of " + sizeBytes + " bytes, more than maxResponseBytes="
                            + context.settings().maxResponseBytes(),
                    null);
        }
        MetadataResponseData answer;
        try {
            answer = new MetadataResponseData(ResponseMessages.body(buffer.bytes()), version);
        } catch (RuntimeException e) {
            close("malformed metadata");
            throw new LeanException("a broker sent malformed metadata", e);
        }
        failures = 0;
        backoff.succeeded();
        context.counters().add(ConsumerCounters.METADATA, 1);
        metadata.answered(answer, nowNanos);
    }

    void close(String reason) {
        if (connection != null) {
            connection.close(reason);
        }
    }
}
