package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.net.ConnectionBuffers;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.spi.AskedInTurn;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * Asks for topics and their leaders, on a connection of its own, so that no answer waits behind a fetch. Confined to
 * one thread. {@link AskedInTurn} says whom.
 */
final class MetadataRequests implements BrokerConnection.Listener {

    private static final System.Logger LOG = System.getLogger(MetadataRequests.class.getName());
    private static final short VERSION = 11;

    /** Time without a refusal after which waits are short again. */
    private static final long SETTLED_NANOS = 500_000_000;

    private final ConsumerContext context;
    private final ObjIntConsumer<MetadataResponseData> listener;
    private final List<String> bootstrap;
    private final RetryBackoff backoff;
    private final long maxAgeNanos;
    private final ConnectionBuffers buffers;

    private final AskedInTurn turns = new AskedInTurn();

    /** Addresses of the brokers, by the last answer. */
    private List<InetSocketAddress> known = List.of();

    private @Nullable BrokerConnection connection;

    /** Address of the connection, as the settings or metadata write it. */
    private InetSocketAddress asked = InetSocketAddress.createUnresolved("", 0);

    private boolean underWay;
    private boolean wanted = true;
    private long askedNanos;
    private long refusedNanos;

    /** Failures since the last answer: not every attempt is worth a line in the log. */
    private int failures;

    /** @param listener told each answer, with the node id of the broker if that is known */
    MetadataRequests(ConsumerContext context, ObjIntConsumer<MetadataResponseData> listener) {
        this.context = context;
        this.listener = listener;
        this.bootstrap = List.of(context.settings()
                .properties()
                .getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "")
                .strip()
                .split("\\s*,\\s*"));
        this.backoff = context.newBackoff();
        this.maxAgeNanos = context.settings().metadataMaxAge().toNanos();
        this.buffers = context.newBuffers();
        this.refusedNanos = context.transports().nanoTime();
    }

    /** Asks again, soon. */
    void want() {
        wanted = true;
    }

    /** Asks again soon, as the answer may be wrong. */
    void doubt() {
        turns.doubt();
        wanted = true;
    }

    /** Asks a third broker, or the same one again, soon, as the answer contradicts another broker's. */
    void askAnother() {
        turns.contradicted();
        wanted = true;
    }

    /** Waits longer before it asks again, as the answer did not help. */
    void wantLater(long nowNanos) {
        turns.doubt();
        refusedNanos = nowNanos;
        if (!wanted) {
            wanted = true;
            backoff.failed(nowNanos);
        }
    }

    /**
     * Notes that the answer looks right. Whether it is, the brokers that it names will show: until then waits stay
     * long.
     */
    void helped(long nowNanos) {
        if (nowNanos - refusedNanos > SETTLED_NANOS) {
            backoff.succeeded();
        }
    }

    int poll(long nowNanos, Collection<FetchedTopic> topics) {
        if (topics.isEmpty()) {
            return 0;
        }
        boolean old = nowNanos - askedNanos > maxAgeNanos;
        wanted |= old;
        if (!underWay && turns.isEnough(old)) {
            turns.left();
            close("another broker is asked");
            connection = null;
        }
        BrokerConnection current = connection;
        if (current == null) {
            if (!wanted || !backoff.isDue(nowNanos)) {
                return 0;
            }
            connect(nowNanos);
            return 1;
        }
        int work;
        try {
            work = current.poll(nowNanos);
        } finally {
            if (current.isClosed()) {
                lost(current.address() + ": " + current.closeReason(), nowNanos);
            }
        }
        if (wanted && !underWay && current.canSend() && backoff.isDue(nowNanos)) {
            ask(current, topics, nowNanos);
            return work + 1;
        }
        return work;
    }

    private void connect(long nowNanos) {
        try {
            asked = next();
            connection = context.connect(asked, buffers, nowNanos, this);
        } catch (IOException | RuntimeException e) {
            lost(String.valueOf(e.getMessage()), nowNanos);
        }
    }

    /** Looks up one name at most: one that is not known makes a resolver wait for seconds. */
    private InetSocketAddress next() {
        int at = turns.next(known.size(), bootstrap.size());
        if (at < known.size()) {
            return known.get(at);
        }
        List<InetSocketAddress> all = ClientUtils.parseAndValidateAddresses(
                List.of(bootstrap.get(at - known.size())), ClientDnsLookup.USE_ALL_DNS_IPS);
        return all.get(turns.round(known.size(), bootstrap.size()) % all.size());
    }

    private void lost(String why, long nowNanos) {
        connection = null;
        turns.failed();
        // One that was idle for long is closed by the broker, which is no failure.
        if (underWay || wanted) {
            wanted = true;
            backoff.failed(nowNanos);
            if (failures++ % (known.size() + bootstrap.size()) == 0) {
                LOG.log(System.Logger.Level.WARNING, "no metadata: " + why);
            }
        }
        underWay = false;
    }

    private void ask(BrokerConnection current, Collection<FetchedTopic> topics, long nowNanos) {
        List<MetadataRequestTopic> names = new ArrayList<>();
        topics.forEach(topic -> names.add(new MetadataRequestTopic().setName(topic.name)));
        current.send(
                ApiKeys.METADATA,
                VERSION,
                new MetadataRequestData().setTopics(names).setAllowAutoTopicCreation(false));
        underWay = true;
        wanted = false;
        askedNanos = nowNanos;
    }

    @Override
    public void onResponse(ApiKeys api, short version, ReceiveBuffer buffer, int sizeBytes) {
        underWay = false;
        failures = 0;
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
            close("metadata that make no sense");
            throw new LeanException("a broker sent metadata that make no sense", e);
        }
        context.counters().add(ConsumerCounters.METADATA, 1);
        List<InetSocketAddress> named = new ArrayList<>();
        // Looked up when they are needed.
        answer.brokers().forEach(each -> named.add(InetSocketAddress.createUnresolved(each.host(), each.port())));
        known = named;
        turns.answered();
        listener.accept(answer, TopicIdAgreement.nodeAt(asked.getHostString(), asked.getPort(), answer));
    }

    void close(String reason) {
        if (connection != null) {
            connection.close(reason);
        }
    }
}
