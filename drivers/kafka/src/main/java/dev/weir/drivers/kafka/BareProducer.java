package dev.weir.drivers.kafka;

import dev.weir.driver.Pass;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.zip.CRC32C;

/**
 * A connection to the leader of some partitions. A request holds one full batch for each of some partitions, in turn.
 * Confined to one thread. The format of a batch stands at {@link BareConnection}; Produce version 3 is the oldest that
 * brokers of today take (KIP-896).
 */
final class BareProducer implements Closeable {
    private static final short PRODUCE = 0;
    private static final short PRODUCE_VERSION = 3;
    private static final short ACKS_ALL = -1;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int IN_FLIGHT = 5;
    private static final int MAX_REQUEST_BYTES = 1 << 20; // as the client's max.request.size
    private static final int REQUEST_OVERHEAD = 1024;
    private static final int BATCH_HEADER = 61;
    private static final int BATCH_ATTRIBUTES = 21;
    private static final int BATCH_CRC = 17;
    private static final int RECORD_OVERHEAD = 21; // the most that stands around a value

    private final List<Integer> partitions;
    private final int valueBytes;
    private final int batchBytes;
    private final int partitionsPerRequest;
    private final long[] next; // number of the next record, by partition
    private final byte[] topic;
    private final Pass pass;
    private final SocketChannel socket;
    private final CRC32C crc = new CRC32C();
    private final Queue<Integer> inFlight = new ArrayDeque<>(); // records of each request
    private final ByteBuffer request;
    private final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 20);
    private int turn;

    BareProducer(String leader, List<Integer> partitions, Pass pass) throws IOException {
        this.partitions = partitions;
        this.pass = pass;
        this.valueBytes = pass.configuration().valueBytes();
        int wanted = Integer.parseInt(pass.clientConfig().producer(Map.of()).getOrDefault("batch.size", "131072"));
        this.batchBytes = Math.max(wanted, BATCH_HEADER + RECORD_OVERHEAD + valueBytes);
        this.partitionsPerRequest = Math.clamp(MAX_REQUEST_BYTES / batchBytes, 1, partitions.size());
        this.next = new long[pass.configuration().partitions()];
        this.topic = pass.configuration().topic().getBytes(StandardCharsets.UTF_8);
        this.request =
                ByteBuffer.allocateDirect(REQUEST_OVERHEAD + partitionsPerRequest * (batchBytes + 2 * Integer.BYTES));
        int colon = leader.lastIndexOf(':');
        this.socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.connect(
                new InetSocketAddress(leader.substring(0, colon), Integer.parseInt(leader.substring(colon + 1))));
    }

    /** Sends the next request, after the answer to the one five before it; false if all has been sent. */
    boolean turn() throws IOException {
        int records = encode();
        if (records == 0) {
            return false;
        }
        if (inFlight.size() == IN_FLIGHT) {
            receive();
        }
        while (request.hasRemaining()) {
            socket.write(request);
        }
        inFlight.add(records);
        return true;
    }

    void flush() throws IOException {
        while (!inFlight.isEmpty()) {
            receive();
        }
    }

    private int encode() {
        request.clear().position(Integer.BYTES);
        request.putShort(PRODUCE).putShort(PRODUCE_VERSION).putInt(0).putShort((short) -1); // no client id
        request.putShort((short) -1).putShort(ACKS_ALL).putInt(TIMEOUT_MILLIS); // no transactional id
        request.putInt(1).putShort((short) topic.length).put(topic);
        int count = request.position();
        request.putInt(0);
        int records = 0;
        int batches = 0;
        for (int tried = 0; tried < partitions.size() && batches < partitionsPerRequest; tried++) {
            int partition = partitions.get(turn++ % partitions.size());
            int fits = (int) Math.min(left(partition), (batchBytes - BATCH_HEADER) / (valueBytes + RECORD_OVERHEAD));
            if (fits > 0) {
                batch(partition, fits);
                records += fits;
                batches++;
            }
        }
        request.putInt(count, batches)
                .putInt(0, request.position() - Integer.BYTES)
                .flip();
        return records;
    }

    /** Record i goes to partition i modulo their number, as with all drivers. */
    private long left(int partition) {
        int all = pass.configuration().partitions();
        return (pass.wanted() - partition + all - 1) / all - next[partition];
    }

    private void batch(int partition, int records) {
        request.putInt(partition);
        int start = request.position() + Integer.BYTES;
        request.position(start + BATCH_HEADER);
        for (int i = 0; i < records; i++) {
            record(i, pass.value(next[partition]++));
        }
        int end = request.position();
        long now = System.currentTimeMillis();
        request.position(start - Integer.BYTES);
        request.putInt(end - start)
                .putLong(0)
                .putInt(end - start - 12)
                .putInt(-1)
                .put((byte) 2)
                .putInt(0);
        request.putShort((short) 0).putInt(records - 1).putLong(now).putLong(now);
        request.putLong(-1).putShort((short) -1).putInt(-1).putInt(records); // no producer id
        crc.reset();
        crc.update(request.limit(end).position(start + BATCH_ATTRIBUTES));
        request.limit(request.capacity());
        request.putInt(start + BATCH_CRC, (int) crc.getValue());
    }

    private void record(int delta, byte[] value) {
        int length = 1 + 1 + bytes(delta) + 1 + bytes(value.length) + value.length + 1;
        varint(length);
        request.put((byte) 0).put((byte) 0); // attributes, delta of the time
        varint(delta);
        varint(-1); // no key
        varint(value.length);
        request.put(value);
        varint(0); // no headers
    }

    private static int bytes(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(zigzag)) / 7);
    }

    private void varint(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        while ((zigzag & ~0x7f) != 0) {
            request.put((byte) ((zigzag & 0x7f) | 0x80));
            zigzag >>>= 7;
        }
        request.put((byte) zigzag);
    }

    private void receive() throws IOException {
        fill(size.clear());
        int length = size.getInt(0);
        if (length > answer.capacity()) {
            throw new IOException("an answer of " + length + " bytes");
        }
        fill(answer.clear().limit(length));
        answer.flip().position(2 * Integer.BYTES); // correlation, one topic
        answer.position(answer.position() + Short.BYTES + answer.getShort(answer.position()));
        for (int left = answer.getInt(); left > 0; left--) {
            int partition = answer.getInt();
            short error = answer.getShort();
            if (error != 0) {
                throw new IOException("partition " + partition + ": error code " + error + " of the broker");
            }
            answer.position(answer.position() + 2 * Long.BYTES); // base offset, time of appending
        }
        for (int left = inFlight.remove(); left > 0; left--) {
            pass.acknowledged(valueBytes);
        }
    }

    private void fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (socket.read(buffer) < 0) {
                throw new EOFException("the broker closed the connection");
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
