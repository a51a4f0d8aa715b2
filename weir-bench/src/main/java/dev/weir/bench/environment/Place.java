package dev.weir.bench.environment;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A place where a local command can start a process. The command forwards the standard input and output of the process.
 * Immutable.
 */
public sealed interface Place {

    /** Returns a short name for people. */
    String label();

    /** Returns the command that runs {@code arguments} at the place. The first argument is a program. */
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
     * @param program {@code ssh}, or a program with the same arguments
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

        /** Quotes the words, because the host's shell splits them again. */
        @Override
        public List<String> command(List<String> arguments) {
            List<String> command = new ArrayList<>(List.of(program, "-T"));
            command.addAll(options);
            // For each option, ssh uses the first value. The options from the file come first and override these.
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
     * @param program {@code kubectl}, or a program with the same arguments
     * @param context context in the user's configuration; empty for the current one
     * @param namespace empty for the context's namespace
     * @param pod name of the pod; empty for a pod that is yet to be created
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
