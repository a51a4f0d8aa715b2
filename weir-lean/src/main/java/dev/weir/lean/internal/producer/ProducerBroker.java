package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.BrokerLink;
import dev.weir.lean.internal.cluster.BrokerLinks;
import java.util.ArrayDeque;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** A broker and its requests in flight. Confined to the producer's thread. */
final class ProducerBroker implements BrokerLink.Listener {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ProduceRequest request;
    private final long requestTimeoutNanos;
    private final ProduceAnswers events;
    private final ProducerCounters counters;
    private final BrokerLinks links;
    private final BrokerLink link;
    private final CRC32C crc = new CRC32C();

    /** Partitions with a batch that can be sent now. Rebuilt in each iteration of the producer's thread. */
    private final SendableBatches ready;

    private final ArrayDeque<RequestFlight> flights = new ArrayDeque<>();
    private final ArrayDeque<RequestFlight> spare = new ArrayDeque<>();

    private boolean throttled;
    private long throttledUntilNanos;

    ProducerBroker(
            BrokerAddress address,
            ProduceRequest request,
            LeanProducerSettings settings,
            ProduceAnswers events,
            ProducerCounters counters,
            BrokerLinks links) {
        this.request = request;
        this.ready = new SendableBatches(settings.maxRequestBytes());
        this.requestTimeoutNanos = settings.requestTimeout().toNanos();
        this.events = events;
        this.counters = counters;
        this.links = links;
        this.link = links.link(address.toString(), address, this);
    }

    /** Reconnects to the broker's new address. */
    void moved() {
        link.disconnect("the broker has another address now");
    }

    /** Returns whether requests are in flight and no other request can be sent now. */
    boolean isBusy() {
        return !flights.isEmpty() && !link.canSend();
    }

    /** Adds a partition whose first waiting batch can be sent now. */
    void offer(ProducerPartition partition) {
        ready.add(partition);
    }

    /** Sends one request if possible. Returns the number of its batches. */
    int send(long nowNanos) {
        RequestFlight oldest = flights.peek();
        if (oldest != null && nowNanos - oldest.sentNanos > requestTimeoutNanos) {
            link.disconnect("no answer within requestTimeout=" + requestTimeoutNanos / NANOS_PER_MILLI + " ms");
        }
        if (ready.isEmpty()) {
            return 0;
        }
        try {
            if (throttled && nowNanos - throttledUntilNanos < 0) {
                return 0;
            }
            throttled = false;
            return link.canSend() ? sendReady(link, nowNanos) : 0;
        } finally {
            ready.clear();
        }
    }

    private int sendReady(BrokerLink to, long nowNanos) {
        short offered = to.maxVersion(ApiKeys.PRODUCE);
        if (offered < ProduceRequest.MIN_VERSION) {
            throw new LeanException(
                    to + " takes records up to version " + offered
                            + " of the request; the lean path needs Kafka 3.1 or newer, use the official client",
                    null);
        }
        List<ProducerPartition> partitions = ready.ofNextRequest();
        RequestFlight flight = spare.isEmpty() ? new RequestFlight() : spare.pop();
        for (int i = 0; i < partitions.size(); i++) {
            ProducerPartition partition = partitions.get(i);
            ProducerBatch batch = partition.take();
            batch.writer.stamp(partition.producerId, partition.epoch, batch.sequence, crc);
            flight.add(partition, batch);
            counters.add(ProducerCounters.QUEUED_NANOS, nowNanos - batch.begunNanos);
        }
        // First add the request to the requests in flight: a write that fails then reports its batches as lost.
        flight.sentNanos = nowNanos;
        flights.add(flight);
        short version = (short) Math.min(offered, ProduceRequest.MAX_VERSION);
        to.send(ApiKeys.PRODUCE, version, request.of(flight, version));
        counters.add(ProducerCounters.REQUESTS, 1);
        counters.add(ProducerCounters.BATCHES, flight.size());
        return flight.size();
    }

    @Override
    public void answered(ApiKeys api, short version, Readable body) {
        ProduceResponseData answer;
        try {
            answer = new ProduceResponseData(body, version);
        } catch (RuntimeException e) {
            throw new LeanException(link + " sent a malformed answer to " + api, e);
        }
        if (answer.throttleTimeMs() > 0) {
            long until = links.nanoTime() + answer.throttleTimeMs() * NANOS_PER_MILLI;
            if (!throttled || until - throttledUntilNanos > 0) {
                throttledUntilNanos = until;
            }
            throttled = true;
            counters.add(ProducerCounters.THROTTLED_MILLIS, answer.throttleTimeMs());
        }
        RequestFlight flight = flights.remove();
        counters.add(ProducerCounters.ANSWERS, 1);
        counters.add(ProducerCounters.ANSWER_NANOS, links.nanoTime() - flight.sentNanos);
        int answered = 0;
        int at = 0;
        for (TopicProduceResponse topic : answer.responses()) {
            for (PartitionProduceResponse each : topic.partitionResponses()) {
                at = flight.find(topic.name(), each.index(), at);
                if (at < 0 || !flight.answer(at)) {
                    throw nonsense("names " + topic.name() + "-" + each.index()
                            + (at < 0 ? ", which was not sent" : " twice"));
                }
                tell(flight.partition(at), flight.batch(at), each);
                answered++;
            }
        }
        if (answered != flight.size()) {
            throw nonsense("names " + answered + " of " + flight.size() + " batches");
        }
        flight.clear();
        spare.push(flight);
    }

    private LeanException nonsense(String what) {
        return new LeanException(link + " sent an answer to a produce request that " + what, null);
    }

    private void tell(ProducerPartition partition, ProducerBatch batch, PartitionProduceResponse each) {
        if (each.errorCode() == 0) {
            events.written(partition, batch, each.baseOffset());
        } else {
            events.refused(partition, batch, each);
        }
    }

    @Override
    public void lost(String why) {
        events.disconnected();
        for (RequestFlight flight = flights.poll(); flight != null; flight = flights.poll()) {
            for (int i = 0; i < flight.size(); i++) {
                events.lost(flight.partition(i), flight.batch(i), link + ": " + why);
            }
            flight.clear();
            spare.push(flight);
        }
    }
}
