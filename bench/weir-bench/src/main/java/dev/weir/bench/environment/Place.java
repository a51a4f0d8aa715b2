package dev.weir.bench.environment;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A machine, host or pod on which processes run. A local command starts each process and forwards its standard input
 * and output. Immutable.
 */
public sealed interface Place {

    /** Returns a short name for display. */
    String label();

    /** Returns the local command that runs {@code arguments} at this place. The first argument is a program. */
    List<String> command(List<String> arguments);

    /** This machine. */
    record Here() implements Place {
        @Override
        public String label() {
            return "this machine";
        }

        @Override
        public List<String> command(List<String> arguments) {
            return arguments;
        }
    }

    /**
     * A host reached by {@code ssh}, which must not prompt the user.
     *
     * @param program {@code ssh}, or a program that accepts the same arguments
     * @param host the host in the form that {@code ssh} accepts, with the user if necessary
     * @param options further arguments of {@code ssh}
     */
    record Ssh(String program, String host, List<String> options) implements Place {
        public Ssh {
            options = List.copyOf(options);
        }

        @Override
        public String label() {
            return "ssh " + host;
        }

        /** Quotes each argument, because the host's shell splits the command line into words. */
        @Override
        public List<String> command(List<String> arguments) {
            List<String> command = new ArrayList<>(List.of(program, "-T"));
            command.addAll(options);
            // ssh uses the first value of an option, so options from the file override these defaults.
            for (String option :
                    List.of("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3")) {
                command.addAll(List.of("-o", option));
            }
            command.addAll(
                    List.of("--", host, arguments.stream().map(Ssh::quoted).collect(Collectors.joining(" "))));
            return command;
        }

        private static String quoted(String word) {
            return "'" + word.replace("'", "'\\''") + "'";
        }
    }

    /**
     * A container of a Kubernetes pod, reached by {@code kubectl exec}.
     *
     * @param program {@code kubectl}, or a program that accepts the same arguments
     * @param context context in the user's configuration; empty for the current one
     * @param namespace namespace of the pod; empty for the namespace of the context
     * @param pod name of the pod; empty if the pod has not been created yet
     * @param container name of the container; empty for the pod's first container
     */
    record Pod(String program, String context, String namespace, String pod, String container) implements Place {
        @Override
        public String label() {
            return "pod " + (namespace.isEmpty() ? "" : namespace + "/") + pod;
        }

        @Override
        public List<String> command(List<String> arguments) {
            List<String> command = kubectl("exec", "-i", pod);
            if (!container.isEmpty()) {
                command.addAll(List.of("-c", container));
            }
            command.add("--");
            command.addAll(arguments);
            return command;
        }

        /** Returns another pod in the same namespace. */
        public Pod named(String name) {
            return new Pod(program, context, namespace, name, container);
        }

        /** Returns a {@code kubectl} command in the same namespace, which the caller may extend. */
        public List<String> kubectl(String... arguments) {
            List<String> command = new ArrayList<>(List.of(program));
            if (!context.isEmpty()) {
                command.add("--context=" + context);
            }
            if (!namespace.isEmpty()) {
                command.add("--namespace=" + namespace);
            }
            command.addAll(List.of(arguments));
            return command;
        }
    }
}
