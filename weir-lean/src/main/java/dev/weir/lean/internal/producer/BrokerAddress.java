package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.consumer.TopicIdAgreement;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.message.MetadataResponseData;

/** The address of a broker: a name that may resolve to several addresses. Confined to one thread. */
final class BrokerAddress implements Supplier<List<InetSocketAddress>> {

    private final String name;
    private String host;
    private int port;

    BrokerAddress(String name, String host, int port) {
        this.name = name;
        this.host = host;
        this.port = port;
    }

    /** Returns whether host or port differ. */
    boolean moveTo(String newHost, int newPort) {
        boolean moved = port != newPort || !host.equals(newHost);
        host = newHost;
        port = newPort;
        return moved;
    }

    /** Returns the node id that the metadata contain for the broker at this address. */
    int nodeIn(MetadataResponseData answer) {
        return TopicIdAgreement.nodeAt(host, port, answer);
    }

    /** Resolves the name again, because its addresses may change. */
    @Override
    public List<InetSocketAddress> get() {
        return lookUp(host, port).toList();
    }

    /** A name that cannot be resolved now is kept: the connection reports that, and tries again. */
    static Stream<InetSocketAddress> lookUp(String host, int port) {
        try {
            return Stream.of(InetAddress.getAllByName(host)).map(each -> new InetSocketAddress(each, port));
        } catch (UnknownHostException unknown) {
            return Stream.of(InetSocketAddress.createUnresolved(host, port));
        }
    }

    @Override
    public String toString() {
        return name + " at " + host + ":" + port;
    }
}
