package dev.weir.simulation;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.jspecify.annotations.Nullable;

/**
 * The connections between processes and brokers, as byte streams. A connection handles its requests in order,
 * independently of other connections. It can break during a request, and it can stop delivering data in both
 * directions. Confined to the simulation's thread.
 */
public final class Network implements AutoCloseable {

    static final long MILLI = 1_000_000;
    private static final int PIECES = 8;
    private static final int MAX_LATENCY_MILLIS = 4;
    private static final int SLOW_MILLIS = 1_200;
    private static final ReentrantLock HOSTS = new ReentrantLock();
    private static final BitSet TAKEN = new BitSet();

    /** The brokers, as seen by the network. */
    interface Server {

        /** Returns the response to a request; null if the broker sends none. */
        @Nullable
        ApiMessage answer(Connection from, ApiMessage request);

        /** Returns the processing time of the last request, in nanoseconds. */
        long lastTook();

        void disconnected(Connection from);
    }

    /** A client process with its connections. The whole process can be frozen. */
    public final class ClientProcess {
        private final String name;
        private final List<Connection> connections = new ArrayList<>();
        private long frozenUntil;

        ClientProcess(String name) {
            this.name = name;
        }

        public String name() {
            return name;
        }

        /**
         * Opens a non-blocking channel.
         *
         * @param whenReady run by {@link #tellReady} when there is something to read
         * @throws IOException if the broker is down
         */
        public ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException {
            int node = address.getPort();
            if (schedule.now() < refusesUntil.getOrDefault(node, 0L)) {
                throw new IOException("connection refused by broker " + node);
            }
            opened++;
            Connection connection = new Connection(this, node, whenReady);
            connections.add(connection);
            return connection;
        }

        /** Notifies the connections that have something to read. */
        public void tellReady() {
            List.copyOf(connections).stream().filter(Connection::isReadable).forEach(each -> each.whenReady.run());
        }

        /** Freezes the process for {@code nanos}. Its connections remain open. */
        public void freeze(long nanos) {
            frozenUntil = Math.max(frozenUntil, schedule.now() + nanos);
        }

        public boolean isFrozen() {
            return schedule.now() < frozenUntil;
        }

        /** Breaks one of the process's connections. */
        public void cutOne() {
            if (!connections.isEmpty()) {
                connections.get(random.nextInt(connections.size())).cut();
            }
        }

        /** Stops all traffic on one of the process's connections. Neither end is notified. */
        public void silenceOne() {
            if (!connections.isEmpty()) {
                connections.get(random.nextInt(connections.size())).silent = true;
            }
        }

        /** Terminates the process and closes all its connections. */
        public void kill() {
            List.copyOf(connections).forEach(Connection::close);
        }

        public int connections() {
            return connections.size();
        }
    }

    /** A connection from a client process to a broker. */
    final class Connection implements ByteChannel {
        private final ClientProcess process;
        private final int node;
        private final Runnable whenReady;
        private final ArrayDeque<ByteBuffer> inbound = new ArrayDeque<>();
        private ByteBuffer frame = ByteBuffer.allocate(512);
        private boolean open = true;
        private boolean broken;
        private boolean silent;

        /** True if a request was lost; all later requests on this connection are lost too. */
        private boolean ended;

        private long requestsArriveNanos;
        private long busyUntilNanos;
        private long answersArriveNanos;

        Connection(ClientProcess process, int node, Runnable whenReady) {
            this.process = process;
            this.node = node;
            this.whenReady = whenReady;
        }

        int node() {
            return node;
        }

        boolean isGone() {
            return broken || !open;
        }

        private boolean isReadable() {
            return broken || !inbound.isEmpty();
        }

        @Override
        public int read(ByteBuffer to) {
            int read = 0;
            while (to.hasRemaining() && !inbound.isEmpty()) {
                ByteBuffer next = inbound.element();
                int most = Math.min(to.remaining(), next.remaining());
                to.put(to.position(), next, next.position(), most).position(to.position() + most);
                next.position(next.position() + most);
                read += most;
                if (!next.hasRemaining()) {
                    inbound.remove();
                }
            }
            return read == 0 && broken && to.hasRemaining() ? -1 : read;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            if (broken || !open) {
                throw new IOException("broken pipe");
            }
            int most = random.nextInt(PIECES) == 0 ? 1 + random.nextInt(64) : Integer.MAX_VALUE;
            int taken = Math.min(from.remaining(), most);
            if (frame.remaining() < taken) {
                frame = ByteBuffer.allocate(2 * (frame.position() + taken)).put(frame.flip());
            }
            frame.put(frame.position(), from, from.position(), taken).position(frame.position() + taken);
            from.position(from.position() + taken);
            while (frame.position() >= Integer.BYTES && frame.position() >= Integer.BYTES + frame.getInt(0)) {
                takeFrame();
            }
            return taken;
        }

        private void takeFrame() {
            ByteBuffer bytes = ByteBuffer.allocate(frame.getInt(0));
            bytes.put(0, frame, Integer.BYTES, bytes.capacity());
            int rest = frame.position();
            frame.position(Integer.BYTES + bytes.capacity()).limit(rest);
            frame.compact();
            requestsArriveNanos = Math.max(requestsArriveNanos, schedule.now() + latency());
            schedule.at(requestsArriveNanos, () -> arrived(bytes));
        }

        private void arrived(ByteBuffer bytes) {
            if (schedule.now() < busyUntilNanos) {
                schedule.at(busyUntilNanos, () -> arrived(bytes));
                return;
            }
            // A request sent before the connection broke may still arrive. After a lost request, all later ones are
            // lost.
            ended |= silent || (isGone() && random.nextBoolean());
            if (ended) {
                return;
            }
            RequestHeader header = RequestHeader.parse(bytes);
            ApiMessage request = header.apiKey().messageType.newRequest();
            request.read(new ByteBufferAccessor(bytes), header.apiVersion());
            requests.merge(header.apiKey(), 1, Integer::sum);
            ApiMessage answer = server.answer(this, request);
            if (answer == null) {
                return;
            }
            ByteBuffer reply = RequestUtils.serialize(
                    new ResponseHeaderData().setCorrelationId(header.correlationId()),
                    header.apiKey().responseHeaderVersion(header.apiVersion()),
                    answer,
                    header.apiVersion());
            ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + reply.remaining())
                    .putInt(reply.remaining())
                    .put(reply);
            busyUntilNanos = schedule.now() + server.lastTook() + slowness();
            answersArriveNanos = Math.max(answersArriveNanos, busyUntilNanos + latency());
            deliver(framed.flip());
        }

        private void deliver(ByteBuffer framed) {
            int first = random.nextInt(PIECES) == 0 ? random.nextInt(framed.remaining()) : 0;
            if (first > 0) {
                ByteBuffer piece = framed.slice(0, first);
                schedule.at(answersArriveNanos, () -> receive(piece));
                framed.position(first);
                answersArriveNanos += latency();
            }
            schedule.at(answersArriveNanos, () -> {
                answers++;
                receive(framed);
            });
        }

        private void receive(ByteBuffer piece) {
            if (open && !broken && !silent) {
                inbound.add(piece);
            }
        }

        /** Breaks the connection. The client can still read data that has arrived, then the end of the stream. */
        void cut() {
            if (open && !broken) {
                broken = true;
                gone();
            }
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                if (!broken) {
                    gone();
                }
            }
        }

        private void gone() {
            process.connections.remove(this);
            server.disconnected(this);
        }
    }

    private final Schedule schedule;
    private final Random random;
    private final Server server;
    private final int hostNumber;
    private final Map<ApiKeys, Integer> requests = new HashMap<>();
    private final Map<Integer, Long> refusesUntil = new HashMap<>();
    private final List<ClientProcess> processes = new ArrayList<>();
    private boolean isSlow;
    private int opened;
    private int answers;

    Network(Schedule schedule, Random random, Server server) {
        this.schedule = schedule;
        this.random = random;
        this.server = server;
        HOSTS.lock();
        try {
            hostNumber = TAKEN.nextClearBit(1);
            TAKEN.set(hostNumber);
        } finally {
            HOSTS.unlock();
        }
    }

    /** Returns a loopback address that no other open network in this JVM uses. */
    public String host() {
        return "127." + (hostNumber >> 16) + "." + (hostNumber >> 8 & 255) + "." + (hostNumber & 255);
    }

    /** Creates another client process. */
    public ClientProcess process(String name) {
        ClientProcess process = new ClientProcess(name);
        processes.add(process);
        return process;
    }

    /** Returns the process with that name, which must exist. */
    public ClientProcess named(String name) {
        return processes.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Sets whether responses are occasionally late. */
    public void slow(boolean on) {
        isSlow = on;
    }

    /** Breaks all connections to a broker, which then refuses new connections for {@code nanos}. */
    public void restart(int node, long nanos) {
        refusesUntil.put(node, schedule.now() + nanos);
        for (ClientProcess process : processes) {
            List.copyOf(process.connections).stream()
                    .filter(each -> each.node == node)
                    .forEach(Connection::cut);
        }
    }

    /** Returns the number of requests of this type that brokers have received. */
    public int requests(ApiKeys api) {
        return requests.getOrDefault(api, 0);
    }

    /** Returns the number of connections opened so far. */
    public int opened() {
        return opened;
    }

    /** Returns the number of responses sent to clients, including responses lost on broken connections. */
    public int answers() {
        return answers;
    }

    private long latency() {
        return MILLI / 2 + random.nextLong(MAX_LATENCY_MILLIS * MILLI / 2);
    }

    private long slowness() {
        return isSlow && random.nextInt(50) == 0 ? SLOW_MILLIS * MILLI : 0;
    }

    @Override
    public void close() {
        processes.forEach(ClientProcess::kill);
        HOSTS.lock();
        try {
            TAKEN.clear(Objects.checkIndex(hostNumber, TAKEN.length()));
        } finally {
            HOSTS.unlock();
        }
    }
}
