package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.cluster.BrokerLink;
import dev.weir.lean.internal.wire.VarInts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes produce requests, versions 9 to 12. Allocates nothing, and copies only batches on the heap. Confined to one
 * thread.
 *
 * <pre>
 *   size, key = 0, version, correlation, client id, tags         header 2
 *   transactional id = null, acks = all, timeout
 *   number of topics + 1
 *     name, number of partitions + 1
 *       partition, size of the batch + 1, batch, tags
 *     tags
 *   tags
 * </pre>
 */
final class ProduceRequest implements BrokerLink.Encoder {

    /** The version of Kafka 3.1, the oldest supported broker. */
    static final short MIN_VERSION = 9;

    /** The last version that identifies topics by name instead of id. */
    static final short MAX_VERSION = 12;

    /** Upper bound of the size of a partition's entry, without the batch and the topic's name. */
    static final int PARTITION_BYTES = 32;

    private static final short KEY = 0;
    private static final short ACKS_ALL = -1;
    private static final int FIXED_BYTES = 64;

    private final byte[] clientId;
    private final int timeoutMillis;
    private RequestFlight flight;
    private short version;

    ProduceRequest(String clientId, int timeoutMillis) {
        this.clientId = clientId.getBytes(StandardCharsets.UTF_8);
        this.timeoutMillis = timeoutMillis;
        this.flight = new RequestFlight();
    }

    /** Sets the batches of the next request. Batches of the same topic must be adjacent. */
    ProduceRequest of(RequestFlight batches, short newVersion) {
        flight = batches;
        version = newVersion;
        return this;
    }

    @Override
    public int maxBytes() {
        long all = (long) FIXED_BYTES + clientId.length;
        for (int i = 0; i < flight.size(); i++) {
            ProducerBatch batch = flight.batch(i);
            all += (batch.writer.bytes().isDirect() ? 0 : batch.writer.sizeBytes())
                    + flight.partition(i).topic.nameBytes.length
                    + PARTITION_BYTES;
        }
        return Math.toIntExact(all);
    }

    @Override
    public void write(ByteBuffer out, BrokerLink.Inserts inserts, int correlation) {
        out.clear()
                .putInt(0)
                .putShort(KEY)
                .putShort(version)
                .putInt(correlation)
                .putShort((short) clientId.length)
                .put(clientId)
                .put((byte) 0);
        VarInts.putUnsigned(out, 0);
        out.putShort(ACKS_ALL).putInt(timeoutMillis);
        VarInts.putUnsigned(out, topics() + 1);
        int inserted = 0;
        int at = 0;
        while (at < flight.size()) {
            ProducerTopic topic = flight.partition(at).topic;
            int end = endOf(topic, at);
            VarInts.putUnsigned(out, topic.nameBytes.length + 1);
            out.put(topic.nameBytes);
            VarInts.putUnsigned(out, end - at + 1);
            for (; at < end; at++) {
                inserted += batch(out, inserts, flight.partition(at), flight.batch(at));
            }
            out.put((byte) 0);
        }
        out.put((byte) 0).putInt(0, out.position() + inserted - Integer.BYTES).flip();
    }

    /** Adds a batch to the request. Returns the number of bytes inserted without a copy. */
    private static int batch(
            ByteBuffer out, BrokerLink.Inserts inserts, ProducerPartition partition, ProducerBatch batch) {
        int size = batch.writer.sizeBytes();
        boolean direct = batch.writer.bytes().isDirect();
        out.putInt(partition.number);
        VarInts.putUnsigned(out, size + 1);
        if (direct) {
            inserts.insert(batch.writer.whole());
        } else {
            out.put(out.position(), batch.writer.bytes(), 0, size).position(out.position() + size);
        }
        out.put((byte) 0);
        return direct ? size : 0;
    }

    private int topics() {
        int count = 0;
        for (int at = 0; at < flight.size(); at = endOf(flight.partition(at).topic, at)) {
            count++;
        }
        return count;
    }

    private int endOf(ProducerTopic topic, int from) {
        int end = from;
        while (end < flight.size() && flight.partition(end).topic == topic) {
            end++;
        }
        return end;
    }
}
