package dev.weir.kafka.internal.in.commit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** A broker on a loopback port that coordinates every group and answers commits as a test says. */
final class ScriptedCoordinator implements AutoCloseable {

    private static final long DEADLINE_SECONDS = 20;

    enum Reply {
        TAKEN,
        REFUSED,
        /** The commit is read but never answered. */
        UNANSWERED,
        /** The commit is read, and the connection is closed without a response. */
        CUT
    }

    final BlockingQueue<OffsetCommitRequestData> commits = new LinkedBlockingQueue<>();
    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger ended = new AtomicInteger();
    final AtomicInteger lookups = new AtomicInteger();

    /** The replies to the next commits. All later commits are accepted. */
    final ConcurrentLinkedQueue<Reply> replies = new ConcurrentLinkedQueue<>();

    /** Number of lookups to read before the connection is closed without an answer. */
    final AtomicInteger lookupsToCut = new AtomicInteger();

    volatile Errors lookupError = Errors.NONE;
    /** The port of the coordinator in lookup responses; 0 for this broker. */
    volatile int lookupPort;

    volatile Errors refusal = Errors.UNKNOWN_MEMBER_ID;
    volatile short maxCommitVersion = ApiKeys.OFFSET_COMMIT.latestVersion();

    private final ServerSocket server;
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    ScriptedCoordinator() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** Returns the configuration for clients of this coordinator. */
    Map<String, Object> config() {
        return Map.of("bootstrap.servers", "127.0.0.1:" + server.getLocalPort(), "reconnect.backoff.max.ms", 50);
    }

    OffsetCommitRequestData nextCommit() throws InterruptedException {
        OffsetCommitRequestData commit = commits.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (commit == null) {
            throw new AssertionError("no commit came");
        }
        return commit;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                ByteBuffer bytes = ByteBuffer.wrap(in.readNBytes(in.readInt()));
                RequestHeader header = RequestHeader.parse(bytes);
                ApiMessage request = header.apiKey().messageType.newRequest();
                request.read(new ByteBufferAccessor(bytes), header.apiVersion());
                Reply reply = Reply.TAKEN;
                if (request instanceof OffsetCommitRequestData commit) {
                    Reply next = replies.poll();
                    reply = next == null ? Reply.TAKEN : next;
                    commits.add(commit);
                }
                boolean isLookup = request instanceof FindCoordinatorRequestData;
                if (reply == Reply.CUT || (isLookup && lookupsToCut.getAndDecrement() > 0)) {
                    return;
                }
                ApiMessage answer = answer(request, reply);
                if (answer != null) {
                    write(socket.getOutputStream(), header, answer);
                }
            }
        } catch (IOException closed) {
            // The client has closed the connection, or the test has ended.
        } finally {
            ended.incrementAndGet();
        }
    }

    private @Nullable ApiMessage answer(ApiMessage request, Reply reply) {
        return switch (request) {
            case FindCoordinatorRequestData lookup -> found(lookup);
            case OffsetCommitRequestData commit -> reply == Reply.UNANSWERED ? null : committed(commit, reply);
            default -> versions();
        };
    }

    private FindCoordinatorResponseData found(FindCoordinatorRequestData lookup) {
        lookups.incrementAndGet();
        return new FindCoordinatorResponseData()
                .setCoordinators(List.of(new Coordinator()
                        .setKey(lookup.coordinatorKeys().getFirst())
                        .setErrorCode(lookupError.code())
                        .setNodeId(1)
                        .setHost("127.0.0.1")
                        .setPort(lookupPort == 0 ? server.getLocalPort() : lookupPort)));
    }

    /** Creates the response to a commit. A refusal has its error in the last partition of the last topic. */
    private OffsetCommitResponseData committed(OffsetCommitRequestData commit, Reply reply) {
        OffsetCommitResponseData answer = new OffsetCommitResponseData();
        commit.topics().forEach(topic -> {
            OffsetCommitResponseTopic told = new OffsetCommitResponseTopic().setName(topic.name());
            topic.partitions()
                    .forEach(partition -> told.partitions()
                            .add(new OffsetCommitResponsePartition().setPartitionIndex(partition.partitionIndex())));
            answer.topics().add(told);
        });
        if (reply == Reply.REFUSED) {
            answer.topics().getLast().partitions().getLast().setErrorCode(refusal.code());
        }
        return answer;
    }

    private ApiVersionsResponseData versions() {
        ApiVersionsResponseData answer = new ApiVersionsResponseData();
        Arrays.stream(ApiKeys.values())
                .filter(api -> !api.clusterAction)
                .forEach(api -> answer.apiKeys()
                        .add(new ApiVersion()
                                .setApiKey(api.id)
                                .setMinVersion(api.oldestVersion())
                                .setMaxVersion(api == ApiKeys.OFFSET_COMMIT ? maxCommitVersion : api.latestVersion())));
        return answer;
    }

    private static void write(OutputStream out, RequestHeader header, ApiMessage answer) throws IOException {
        short version = header.apiVersion();
        ByteBuffer head = MessageUtil.toByteBufferAccessor(
                        new ResponseHeaderData().setCorrelationId(header.correlationId()),
                        header.apiKey().responseHeaderVersion(version))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(answer, version).buffer();
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES + head.remaining() + body.remaining())
                .putInt(head.remaining() + body.remaining())
                .put(head)
                .put(body);
        out.write(all.array());
        out.flush();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
