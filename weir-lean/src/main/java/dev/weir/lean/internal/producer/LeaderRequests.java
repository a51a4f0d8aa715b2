package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.consumer.RetryBackoff;
import dev.weir.lean.internal.consumer.TopicIdAgreement;
import dev.weir.lean.spi.AskedInTurn;
import dev.weir.lean.spi.BrokerLink;
import dev.weir.lean.spi.BrokerLinks;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;
import org.jspecify.annotations.Nullable;

/**
 * Asks any broker for topics and their leaders, and for producer ids, on a connection of its own; {@link AskedInTurn}
 * says which one. Confined to the producer's thread.
 */
final class LeaderRequests implements BrokerLink.Listener {

    private static final short METADATA_VERSION = 11;

    /** The first one in which the broker says that it is throttled or fenced; Kafka 3.1 has it. */
    private static final short ID_VERSION = 4;

    private final List<BrokerAddress> bootstrap;
    private final ObjIntConsumer<MetadataResponseData> onMetadata;
    private final Consumer<InitProducerIdResponseData> onId;
    private final long maxAgeNanos;
    private final RetryBackoff metadataBackoff;
    private final RetryBackoff idBackoff;
    private final BrokerLinks links;
    private final BrokerLink link;

    private final AskedInTurn turns = new AskedInTurn();

    private List<BrokerAddress> known = List.of();
    private boolean wanted = true;

    /** Broker asked in the last attempt. */
    private @Nullable BrokerAddress asked;

    /**
     * True after an answer that did not help: this request waits for {@link #metadataBackoff} and makes no other one
     * wait.
     */
    private boolean wantedLater;

    private boolean underWay;
    private long askedNanos;
    private boolean idUnderWay;

    /**
     * @param onMetadata told each answer, with the node id of the broker if that is known
     */
    LeaderRequests(
            List<BrokerAddress> bootstrap,
            ObjIntConsumer<MetadataResponseData> onMetadata,
            Consumer<InitProducerIdResponseData> onId,
            long maxAgeNanos,
            RetryBackoff metadataBackoff,
            RetryBackoff idBackoff,
            BrokerLinks links) {
        this.bootstrap = bootstrap;
        this.onMetadata = onMetadata;
        this.onId = onId;
        this.maxAgeNanos = maxAgeNanos;
        this.metadataBackoff = metadataBackoff;
        this.idBackoff = idBackoff;
        this.links = links;
        this.link = links.link("metadata", this::addresses, this);
    }

    /** The one of the next attempt. Looks up one name only. */
    private List<InetSocketAddress> addresses() {
        int at = turns.next(known.size(), bootstrap.size());
        BrokerAddress next = at < known.size() ? known.get(at) : bootstrap.get(at - known.size());
        asked = next;
        List<InetSocketAddress> all = next.get();
        return List.of(all.get(turns.round(known.size(), bootstrap.size()) % all.size()));
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
        if (!wanted && !wantedLater && !underWay) {
            wantedLater = true;
            metadataBackoff.failed(nowNanos);
        }
    }

    /** Notes that the answer has everything that was requested. */
    void helped() {
        metadataBackoff.succeeded();
    }

    /** The brokers to ask from now on. */
    void known(List<BrokerAddress> brokers) {
        known = brokers;
    }

    /** @param idWanted whether a producer id is missing */
    int poll(long nowNanos, Collection<ProducerTopic> topics, boolean idWanted) {
        boolean old = nowNanos - askedNanos > maxAgeNanos;
        wanted |= old;
        if (!underWay && !idUnderWay && turns.isEnough(old)) {
            turns.left();
            link.renew();
        }
        boolean now = wanted || (wantedLater && metadataBackoff.isDue(nowNanos));
        boolean ask = now && !underWay && !topics.isEmpty();
        boolean askId = idWanted && !idUnderWay && idBackoff.isDue(nowNanos);
        // To ask the link whether it can send makes it connect.
        if ((!ask && !askId) || !link.canSend()) {
            return 0;
        }
        if (ask) {
            List<MetadataRequestTopic> names = new ArrayList<>();
            topics.forEach(topic -> names.add(new MetadataRequestTopic().setName(topic.name)));
            link.send(
                    ApiKeys.METADATA,
                    METADATA_VERSION,
                    new MetadataRequestData().setTopics(names).setAllowAutoTopicCreation(false));
            underWay = true;
            wanted = false;
            wantedLater = false;
            askedNanos = nowNanos;
        } else {
            link.send(
                    ApiKeys.INIT_PRODUCER_ID,
                    ID_VERSION,
                    new InitProducerIdRequestData()
                            .setTransactionalId(null)
                            .setTransactionTimeoutMs(Integer.MAX_VALUE));
            idUnderWay = true;
        }
        return 1;
    }

    /** Returns whether something is wanted that was not asked for yet. */
    boolean isPutOff(Collection<ProducerTopic> topics, boolean idWanted) {
        return ((wanted || wantedLater) && !underWay && !topics.isEmpty()) || (idWanted && !idUnderWay);
    }

    @Override
    public void answered(ApiKeys api, short version, Readable body) {
        if (api == ApiKeys.METADATA) {
            underWay = false;
            MetadataResponseData metadata = read(api, () -> new MetadataResponseData(body, version));
            turns.answered();
            BrokerAddress by = asked;
            onMetadata.accept(metadata, by == null ? TopicIdAgreement.UNKNOWN_NODE : by.nodeIn(metadata));
            return;
        }
        idUnderWay = false;
        InitProducerIdResponseData answer = read(api, () -> new InitProducerIdResponseData(body, version));
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.NONE) {
            idBackoff.succeeded();
            onId.accept(answer);
        } else if (error.exception() instanceof RetriableException) {
            // Without the controllers it has none to give.
            turns.answered();
            turns.doubt();
            idBackoff.failed(links.nanoTime());
        } else {
            throw new LeanException(
                    link + " gives no producer id: " + error.message()
                            + " An idempotent producer needs the right to write to a topic (or IDEMPOTENT_WRITE).",
                    error.exception());
        }
    }

    private <T> T read(ApiKeys api, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (RuntimeException e) {
            throw new LeanException(link + " sent an answer to " + api + " that makes no sense", e);
        }
    }

    @Override
    public void lost(String why) {
        turns.failed();
        wanted |= underWay;
        underWay = false;
        idUnderWay = false;
    }
}
