package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The roles and ports of all nodes. Immutable.
 *
 * <p>Nodes are numbered from 1. With three or more brokers, nodes 1 to 3 are also controllers, so that the metadata
 * quorum survives the loss of any one broker. With one or two brokers, node 1 is the only controller, because a quorum
 * of two survives no loss at all.
 */
public record ClusterLayout(List<Integer> brokerPorts, List<Integer> controllerPorts, List<Integer> securedPorts) {

    /** The address on which all nodes listen. */
    public static final String HOST = "127.0.0.1";

    private static final int MOST_CONTROLLERS = 3;

    public ClusterLayout {
        brokerPorts = List.copyOf(brokerPorts);
        controllerPorts = List.copyOf(controllerPorts);
        securedPorts = List.copyOf(securedPorts);
    }

    /** Chooses free ports. Throws if a requested port is in use. */
    public static ClusterLayout choose(ClusterOptions options) {
        List<Integer> brokerPorts = new ArrayList<>();
        Ports free = new Ports();
        for (int id = 1; id <= options.brokers(); id++) {
            if (options.firstPort() == ClusterOptions.ANY_PORT) {
                brokerPorts.add(free.next());
                continue;
            }
            int port = options.firstPort() + id - 1;
            if (!Ports.isFree(port)) {
                throw new KafkaClusterException("port " + port + " (broker " + id + ") is in use on " + HOST
                        + ": stop what listens there, or choose another port");
            }
            brokerPorts.add(port);
        }
        int controllers = options.brokers() < MOST_CONTROLLERS ? 1 : MOST_CONTROLLERS;
        List<Integer> controllerPorts =
                IntStream.range(0, controllers).mapToObj(i -> free.next()).toList();
        int secured = options.secured() ? options.brokers() : 0;
        List<Integer> securedPorts =
                IntStream.range(0, secured).mapToObj(i -> free.next()).toList();
        return new ClusterLayout(brokerPorts, controllerPorts, securedPorts);
    }

    public int brokers() {
        return brokerPorts.size();
    }

    public boolean isController(int id) {
        return id <= controllerPorts.size();
    }

    public int brokerPort(int id) {
        return brokerPorts.get(id - 1);
    }

    public int controllerPort(int id) {
        return controllerPorts.get(id - 1);
    }

    /** Returns the default number of replicas of a topic: three, or the number of brokers if there are fewer. */
    public int replicationFactor() {
        return Math.min(3, brokers());
    }

    /** Returns the number of in-sync replicas required for a write. With three brokers, one of them may be down. */
    public int minInSyncReplicas() {
        return brokers() < 3 ? 1 : 2;
    }

    public String bootstrapServers() {
        return addresses(brokerPorts);
    }

    /** Returns the addresses of the listeners that require authentication; empty if there are none. */
    public String securedBootstrapServers() {
        return addresses(securedPorts);
    }

    private static String addresses(List<Integer> ports) {
        return ports.stream().map(port -> HOST + ":" + port).collect(Collectors.joining(","));
    }

    String voters() {
        return IntStream.rangeClosed(1, controllerPorts.size())
                .mapToObj(id -> id + "@" + HOST + ":" + controllerPort(id))
                .collect(Collectors.joining(","));
    }
}
