package dev.weir.drivers.kafka;

import dev.weir.driver.Pass;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * A connection to the leader of some partitions. Each request has one full batch for each of several partitions. If one
 * request cannot hold batches for all partitions, the partitions take turns. Confined to one thread.
 */
final class BareProducer implements Closeable {
    private static final int IN_FLIGHT = 5;
    private static final int MAX_REQUEST_BYTES = 1 << 20; // the default of the client's max.request.size
    private static final int RECORD_OVERHEAD = 21; // maximum size of a record without its value

    private final List<Integer> partitions;
    private final int valueBytes;
    private final int batchBytes;
    private final int partitionsPerRequest;
    private final long[] next; // the number of the next record in each partition
    private final Pass pass;
    private final SocketChannel socket;
    private final Queue<Integer> inFlight = new ArrayDeque<>(); // the number of records in each request
    private final BareRequest request;
    private final ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 20);
    private int turn;

    BareProducer(String leader, List<Integer> partitions, Pass pass) throws IOException {
        this.partitions = partitions;
        this.pass = pass;
        this.valueBytes = pass.configuration().valueBytes();
        int wanted = Integer.parseInt(pass.clientConfig().producer(Map.of()).getOrDefault("batch.size", "131072"));
        this.batchBytes = Math.max(wanted, BareRequest.BATCH_HEADER + RECORD_OVERHEAD + valueBytes);
        this.partitionsPerRequest = Math.clamp(MAX_REQUEST_BYTES / batchBytes, 1, partitions.size());
        this.next = new long[pass.configuration().partitions()];
        this.request =
                new BareRequest(pass.configuration().topic(), partitionsPerRequest * (batchBytes + 2 * Integer.BYTES));
        int colon = leader.lastIndexOf(':');
        this.socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.connect(
                new InetSocketAddress(leader.substring(0, colon), Integer.parseInt(leader.substring(colon + 1))));
    }

    /**
     * Sends the next request. If five requests are in flight, waits for a response first. Returns false if everything
     * has been sent.
     */
    boolean turn() throws IOException {
        int records = encode();
        if (records == 0) {
            return false;
        }
        if (inFlight.size() == IN_FLIGHT) {
            receive();
        }
        ByteBuffer bytes = request.finish();
        while (bytes.hasRemaining()) {
            socket.write(bytes);
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
        ByteBuffer unused = request.start();
        int records = 0;
        int batches = 0;
        for (int tried = 0; tried < partitions.size() && batches < partitionsPerRequest; tried++) {
            int partition = partitions.get(turn++ % partitions.size());
            int fits = (int)
                    Math.min(left(partition), (batchBytes - BareRequest.BATCH_HEADER) / (valueBytes + RECORD_OVERHEAD));
            if (fits > 0) {
                batch(partition, fits);
                records += fits;
                batches++;
            }
        }
        return records;
    }

    /**
     * Returns the number of records left for a partition. Record i goes to partition i modulo the number of partitions.
     */
    private long left(int partition) {
        int all = pass.configuration().partitions();
        return (pass.wanted() - partition + all - 1) / all - next[partition];
    }

    private void batch(int partition, int records) {
        request.begin(partition);
        for (int i = 0; i < records; i++) {
            request.add(pass.value(next[partition]++));
        }
        request.end(-1, (short) -1, -1); // no producer id
    }

    private void receive() throws IOException {
        fill(size.clear());
        int length = size.getInt(0);
        if (length > answer.capacity()) {
            throw new IOException("an answer of " + length + " bytes");
        }
        fill(answer.clear().limit(length));
        answer.flip().position(2 * Integer.BYTES); // skips correlation id and number of topics
        answer.position(answer.position() + Short.BYTES + answer.getShort(answer.position()));
        for (int left = answer.getInt(); left > 0; left--) {
            int partition = answer.getInt();
            short error = answer.getShort();
            if (error != 0) {
                throw new IOException("partition " + partition + ": error code " + error + " of the broker");
            }
            answer.position(answer.position() + 2 * Long.BYTES); // skips the base offset and the append time
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
