package dev.weir.lean.internal.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.utils.Utils;

/** A broker's address: a host name, which may resolve to several addresses, and a port. Confined to one thread. */
public final class BrokerAddress implements Supplier<List<InetSocketAddress>> {

    private final String name;
    private String host;
    private int port;

    /** @param name the broker's name in messages */
    public BrokerAddress(String name, String host, int port) {
        this.name = name;
        this.host = host;
        this.port = port;
    }

    /**
     * Parses {@code bootstrap.servers}.
     *
     * @throws IllegalArgumentException if an address lacks a host or a port
     */
    public static List<BrokerAddress> bootstrap(Map<String, String> properties) {
        String servers = properties.getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "");
        return Stream.of(servers.strip().split("\\s*,\\s*"))
                .map(server -> {
                    String host = Utils.getHost(server);
                    Integer port = Utils.getPort(server);
                    if (host == null || port == null) {
                        throw new IllegalArgumentException(
                                "bootstrap.servers must be host:port, with commas between several: bootstrap.servers="
                                        + servers);
                    }
                    return new BrokerAddress("bootstrap", host, port);
                })
                .toList();
    }

    /** Sets a new host and port. Returns whether either has changed. */
    boolean moveTo(String newHost, int newPort) {
        boolean moved = port != newPort || !host.equals(newHost);
        host = newHost;
        port = newPort;
        return moved;
    }

    /** Returns the address as it is written in the settings or the metadata. */
    InetSocketAddress unresolved() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    /**
     * Resolves the host name on every call, because its addresses may change. If the name is unknown, returns an
     * unresolved address: the connection attempt then fails and is retried later.
     */
    @Override
    public List<InetSocketAddress> get() {
        try {
            return Stream.of(InetAddress.getAllByName(host))
                    .map(each -> new InetSocketAddress(each, port))
                    .toList();
        } catch (UnknownHostException unknown) {
            return List.of(unresolved());
        }
    }

    @Override
    public String toString() {
        return name + " at " + host + ":" + port;
    }
}
