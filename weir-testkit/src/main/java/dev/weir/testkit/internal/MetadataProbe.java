package dev.weir.testkit.internal;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** Queries the metadata of one particular broker, which the admin client cannot choose. Stateless. */
public final class MetadataProbe {
    private static final int TIMEOUT_MILLIS = 5_000;

    /** A version that brokers of every release support. */
    private static final short VERSION = 12;

    /** Suffix of the {@link #view} line for a partition with all replicas in sync. */
    public static final String IN_SYNC = ", all in sync";

    private MetadataProbe() {}

    /** Returns the number of the topic's partitions that have a leader, according to the broker at {@code port}. */
    public static int partitionsWithLeader(int port, String topic) throws IOException {
        int led = 0;
        for (MetadataResponse.TopicMetadata found : ask(port, topic).topicMetadata()) {
            for (MetadataResponse.PartitionMetadata partition : found.partitionMetadata()) {
                led += partition.leaderId.isPresent() ? 1 : 0;
            }
        }
        return led;
    }

    /**
     * Returns the topic's partitions according to the broker at {@code port}, one line per partition: its number,
     * leader and leader epoch, and the replicas that are not in sync. Two brokers have the same view if their lists are
     * equal.
     */
    public static List<String> view(int port, String topic) throws IOException {
        List<String> view = new ArrayList<>();
        for (MetadataResponse.TopicMetadata found : ask(port, topic).topicMetadata()) {
            for (MetadataResponse.PartitionMetadata partition : found.partitionMetadata()) {
                Set<Integer> behind = new TreeSet<>(partition.replicaIds);
                partition.inSyncReplicaIds.forEach(behind::remove);
                view.add(partition.topicPartition + " led by " + partition.leaderId.orElse(-1) + " in epoch "
                        + partition.leaderEpoch.orElse(-1) + (behind.isEmpty() ? IN_SYNC : ", behind: " + behind));
            }
        }
        view.sort(null);
        return view;
    }

    private static MetadataResponse ask(int port, String topic) throws IOException {
        MetadataRequest request =
                MetadataRequest.Builder.forTopicNames(List.of(topic), false).build(VERSION);
        RequestHeader header = new RequestHeader(ApiKeys.METADATA, VERSION, "weir-testkit", 1);
        ByteBuffer bytes = request.serializeWithHeader(header);
        try (Socket socket = new Socket()) {
            socket.connect(Ports.address(port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(bytes.remaining());
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] answer = new byte[in.readInt()];
            in.readFully(answer);
            return (MetadataResponse) AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
        }
    }
}
