package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.cluster.BrokerLink;
import dev.weir.lean.internal.cluster.BrokerLinks;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.RetryBackoff;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Requests metadata and producer ids from any broker, on a separate connection. Confined to the producer's thread. */
final class LeaderRequests implements BrokerLink.Listener {

    /** First version in which a broker reports throttling and fencing. Kafka 3.1, the oldest supported one, has it. */
    private static final short ID_VERSION = 4;

    private final ClusterMetadata metadata;
    private final Consumer<InitProducerIdResponseData> onId;
    private final RetryBackoff idBackoff;
    private final BrokerLinks links;
    private final BrokerLink link;
    private boolean idUnderWay;

    LeaderRequests(
            ClusterMetadata metadata,
            Consumer<InitProducerIdResponseData> onId,
            RetryBackoff idBackoff,
            BrokerLinks links) {
        this.metadata = metadata;
        this.onId = onId;
        this.idBackoff = idBackoff;
        this.links = links;
        this.link = links.link("metadata", () -> List.of(metadata.nextAddress()), this);
    }

    /** @param idWanted true if a producer id must be requested */
    int poll(long nowNanos, Collection<ProducerTopic> topics, boolean idWanted) {
        if (!idUnderWay && metadata.leave(nowNanos)) {
            link.renew();
        }
        boolean ask = metadata.isDue(nowNanos) && !topics.isEmpty();
        boolean askId = idWanted && !idUnderWay && idBackoff.isDue(nowNanos);
        // Call {@code canSend} only if there is a request to send: it opens a connection.
        if ((!ask && !askId) || !link.canSend()) {
            return 0;
        }
        if (ask) {
            link.send(
                    ApiKeys.METADATA,
                    ClusterMetadata.VERSION,
                    metadata.ask(topics.stream().map(topic -> topic.name), nowNanos));
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

    /** Returns whether a request has to be sent now or after a backoff. */
    boolean isPutOff(Collection<ProducerTopic> topics, boolean idWanted) {
        return (metadata.isPutOff() && !topics.isEmpty()) || (idWanted && !idUnderWay);
    }

    @Override
    public void answered(ApiKeys api, short version, Readable body) {
        if (api == ApiKeys.METADATA) {
            metadata.answered(read(api, () -> new MetadataResponseData(body, version)), links.nanoTime());
            return;
        }
        idUnderWay = false;
        InitProducerIdResponseData answer = read(api, () -> new InitProducerIdResponseData(body, version));
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.NONE) {
            idBackoff.succeeded();
            onId.accept(answer);
        } else if (error.exception() instanceof RetriableException) {
            // The broker may have run out of producer ids because it cannot reach the controllers. Ask another broker.
            metadata.unhelpful();
            idBackoff.failed(links.nanoTime());
        } else {
            throw new LeanException(
                    link + " assigned no producer id: " + error.message()
                            + " An idempotent producer needs the right to write to a topic (or IDEMPOTENT_WRITE).",
                    error.exception());
        }
    }

    private <T> T read(ApiKeys api, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (RuntimeException e) {
            throw new LeanException(link + " sent a malformed answer to " + api, e);
        }
    }

    @Override
    public void lost(String why) {
        metadata.lost();
        idUnderWay = false;
    }
}
