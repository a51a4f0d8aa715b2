package dev.weir.bench.environment;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A place where a local command can start a process whose standard input and output it forwards. Immutable. */
public sealed interface Place {

    /** For people, and short. */
    String label();

    /** Returns the command that runs {@code arguments}, whose first is a program, at the place. */
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
     * A host reached by {@code ssh} without prompts.
     *
     * @param program {@code ssh}, or what takes its arguments
     * @param host as {@code ssh} takes it, with the user if need be
     * @param options more arguments of {@code ssh}
     */
    record Ssh(String program, String host, List<String> options) implements Place {
        public Ssh {
            options = List.copyOf(options);
        }

        @Override
        public String label() {
            return "ssh " + host;
        }

        /** Quotes the words, because the host's shell splits them again. */
        @Override
        public List<String> command(List<String> arguments) {
            List<String> command = new ArrayList<>(List.of(program, "-T"));
            command.addAll(options);
            // The first value of an option wins, so the file's options precede these.
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
     * A container of a Kubernetes pod, which is reached by {@code kubectl exec}.
     *
     * @param program {@code kubectl}, or what takes its arguments
     * @param context of the user's configuration; empty for the current one
     * @param namespace empty for the context's namespace
     * @param pod its name; empty for a pod to create
     * @param container empty for the pod's first one
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

        /** Another pod, in the same namespace. */
        public Pod named(String name) {
            return new Pod(program, context, namespace, name, container);
        }

        /** A command in the same namespace, which the caller may extend. */
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
