package dev.weir.bench.environment;

import dev.weir.bench.environment.BenchEnvironment.BrokersAt;
import dev.weir.bench.workload.Spelling;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.bench.workload.YamlText;
import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads an environment from YAML. Checks each key, and reports the line and column of errors. Confined to one thread.
 */
public final class EnvironmentFile {
    private static final String FOLDER = "environments";

    private static final Set<String> TOP = Set.of("brokers", "workers");
    private static final Set<String> OF_BROKERS =
            Set.of("forked", "bootstrapServers", "clientConfig", "topicPrefix", "keepTopics");
    private static final Set<String> PLACES = Set.of("here", "ssh", "pod", "image");
    private static final Set<String> OF_KUBERNETES = Set.of("context", "namespace", "container");
    private static final Set<String> OF_ELSEWHERE = Set.of("program", "java", "home");
    private static final Set<String> OF_WORKER = Set.of(
            "here",
            "ssh",
            "options",
            "pod",
            "image",
            "program",
            "context",
            "namespace",
            "container",
            "runs",
            "java",
            "home",
            "clockAheadMillis");

    private final String name;
    private final Path folder;

    private EnvironmentFile(String name, Path folder) {
        this.name = name;
        this.folder = folder;
    }

    /**
     * Returns the environment of a file, or of {@code environments/NAME.yaml} in the working folder or in the bench
     * folder of {@code root}.
     *
     * @throws WorkloadException if there is no such file, or if the file is invalid; the message then names file, line
     *     and column
     */
    public static BenchEnvironment named(String nameOrFile, Path root) {
        List<Path> places = List.of(
                Path.of(nameOrFile),
                Path.of(FOLDER, nameOrFile + ".yaml"),
                BenchFolder.in(root).resolve(FOLDER).resolve(nameOrFile + ".yaml"));
        for (Path place : places) {
            if (Files.isRegularFile(place)) {
                return read(place);
            }
        }
        throw new WorkloadException("there is no environment " + nameOrFile + ": neither that file nor " + places.get(1)
                + " nor " + places.get(2));
    }

    private static BenchEnvironment read(Path file) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            return parse(file.toString(), Files.readString(file), folder == null ? Path.of("") : folder);
        } catch (IOException e) {
            throw new WorkloadException("environment " + file + " cannot be read: " + CliFailure.reason(e));
        }
    }

    /**
     * Parses an environment.
     *
     * @param name name of the file
     * @param folder the folder against which paths in the file are resolved
     */
    static BenchEnvironment parse(String name, String yaml, Path folder) {
        EnvironmentFile file = new EnvironmentFile(name, folder);
        try {
            Node root = YamlText.compose(name, yaml).orElseThrow(() -> new WorkloadException(name + " is empty"));
            return file.environment(file.fields(root, TOP, "the file"));
        } catch (MarkedYamlEngineException e) {
            throw new WorkloadException(name
                    + e.getProblemMark()
                            .map(mark -> ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
                            .orElse("")
                    + ": is not valid YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw new WorkloadException(name + " is not valid YAML: " + e.getMessage());
        }
    }

    private BenchEnvironment environment(Map<String, Node> top) {
        Node workers = top.get("workers");
        Node brokers = top.get("brokers");
        if (workers == null || brokers == null) {
            throw new WorkloadException(name + ": an environment has brokers and workers");
        }
        List<Worker> all = new ArrayList<>();
        Set<Worker.Role> served = EnumSet.noneOf(Worker.Role.class);
        for (Node each : sequence(workers, "workers")) {
            Worker worker = worker(each);
            all.add(worker);
            served.addAll(worker.roles());
        }
        for (Worker.Role role : Worker.Role.values()) {
            if (!served.contains(role)) {
                throw refuse(workers, "no worker runs " + word(role));
            }
        }
        Path file = Path.of(name).getFileName();
        return new BenchEnvironment(String.valueOf(file).replaceFirst("\\.ya?ml$", ""), brokers(brokers), all);
    }

    private @Nullable BrokersAt brokers(Node node) {
        Map<String, Node> fields = fields(node, OF_BROKERS, "brokers");
        boolean isForked = isTrue(fields, "forked");
        String bootstrap = text(fields, "bootstrapServers");
        if (isForked == !bootstrap.isEmpty() || (isForked && fields.size() > 1)) {
            throw refuse(
                    node,
                    "brokers are forked: true, which only workers of this machine reach, or have bootstrapServers");
        }
        if (isForked) {
            return null;
        }
        String config = text(fields, "clientConfig");
        return new BrokersAt(
                bootstrap,
                config.isEmpty() ? null : folder.resolve(config),
                text(fields, "topicPrefix"),
                isTrue(fields, "keepTopics"));
    }

    private Worker worker(Node node) {
        Map<String, Node> fields = fields(node, OF_WORKER, "a worker");
        List<String> kinds =
                PLACES.stream().filter(fields::containsKey).sorted().toList();
        if (kinds.size() != 1 || (kinds.contains("here") && !isTrue(fields, "here"))) {
            throw refuse(node, "a worker has one of here: true, ssh, pod and image");
        }
        String kind = kinds.getFirst();
        if (!kind.equals("ssh") && fields.containsKey("options")) {
            throw refuse(node, "options apply only to ssh");
        }
        if (!kind.equals("pod")
                && !kind.equals("image")
                && OF_KUBERNETES.stream().anyMatch(fields::containsKey)) {
            throw refuse(node, "context, namespace and container apply only to pod and image");
        }
        if (kind.equals("here") && OF_ELSEWHERE.stream().anyMatch(fields::containsKey)) {
            throw refuse(node, "program, java and home do not apply to here: true");
        }
        if (kind.equals("image") && fields.containsKey("container")) {
            throw refuse(node, "a pod of an image has one container");
        }
        String home = text(fields, "home");
        if (!home.isEmpty() && !home.startsWith("/")) {
            throw refuse(fields.get("home"), "home begins with /: " + home);
        }
        Place place = switch (kind) {
            case "ssh" -> new Place.Ssh(program(fields, "ssh"), word(fields, "ssh"), texts(fields, "options"));
            case "pod" -> pod(fields, word(fields, "pod"));
            case "image" -> pod(fields, "");
            default -> new Place.Here();
        };
        return new Worker(
                place,
                text(fields, "image"),
                roles(fields, node),
                text(fields, "java").isEmpty() ? "java" : text(fields, "java"),
                home,
                millis(fields));
    }

    private Place.Pod pod(Map<String, Node> fields, String pod) {
        return new Place.Pod(
                program(fields, "kubectl"),
                text(fields, "context"),
                text(fields, "namespace"),
                pod,
                text(fields, "container"));
    }

    private String program(Map<String, Node> fields, String usual) {
        String program = text(fields, "program");
        if (program.isEmpty()) {
            return usual;
        }
        // A path is relative to the file. A plain name is a command.
        return program.contains("/") ? folder.resolve(program).normalize().toString() : program;
    }

    /** Returns the value of a key, which must be a single word and not an option. */
    private String word(Map<String, Node> fields, String key) {
        String word = text(fields, key);
        if (!word.matches("[A-Za-z0-9_][^\\s]*")) {
            throw refuse(fields.get(key), key + " must be a single word that begins with a letter or digit: " + word);
        }
        return word;
    }

    private Set<Worker.Role> roles(Map<String, Node> fields, Node worker) {
        if (!fields.containsKey("runs")) {
            return EnumSet.allOf(Worker.Role.class);
        }
        Set<Worker.Role> roles = EnumSet.noneOf(Worker.Role.class);
        for (String text : texts(fields, "runs")) {
            for (Worker.Role role : Worker.Role.values()) {
                if (word(role).equals(text)) {
                    roles.add(role);
                    text = "";
                }
            }
            if (!text.isEmpty()) {
                throw refuse(fields.get("runs"), "a worker runs [driver, generator], or one of them: " + text);
            }
        }
        if (roles.isEmpty()) {
            throw refuse(worker, "a worker runs [driver, generator], or one of them");
        }
        return roles;
    }

    private static String word(Worker.Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    private long millis(Map<String, Node> fields) {
        String text = text(fields, "clockAheadMillis");
        if (!text.matches("(-?\\d{1,9})?")) {
            throw refuse(fields.get("clockAheadMillis"), "clockAheadMillis is a whole number: " + text);
        }
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private boolean isTrue(Map<String, Node> fields, String key) {
        String text = text(fields, key);
        if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
            throw refuse(fields.get(key), key + " is true or false: " + text);
        }
        return text.equals("true");
    }

    private String text(Map<String, Node> fields, String key) {
        Node node = fields.get(key);
        return node == null ? "" : scalar(node, key);
    }

    private List<String> texts(Map<String, Node> fields, String key) {
        Node node = fields.get(key);
        return node == null
                ? List.of()
                : sequence(node, key).stream().map(each -> scalar(each, key)).toList();
    }

    private String scalar(Node node, String what) {
        if (node instanceof ScalarNode scalar && !scalar.getValue().isEmpty()) {
            return scalar.getValue();
        }
        throw refuse(node, what + " must be a single value");
    }

    private List<Node> sequence(Node node, String what) {
        if (node instanceof SequenceNode sequence && !sequence.getValue().isEmpty()) {
            return sequence.getValue();
        }
        throw refuse(node, what + " must be a list with one entry or more");
    }

    private Map<String, Node> fields(Node node, Set<String> known, String what) {
        if (!(node instanceof MappingNode mapping)) {
            throw refuse(node, what + " must be keys with values");
        }
        Map<String, Node> fields = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = scalar(tuple.getKeyNode(), "a key");
            if (!known.contains(key)) {
                throw refuse(
                        tuple.getKeyNode(),
                        "there is no key " + key
                                + Spelling.hint(key, known.stream().sorted().toList()));
            }
            if (fields.put(key, tuple.getValueNode()) != null) {
                throw refuse(tuple.getKeyNode(), key + " is there twice");
            }
        }
        return fields;
    }

    private WorkloadException refuse(@Nullable Node at, String why) {
        return new WorkloadException(name
                + (at == null
                        ? ""
                        : at.getStartMark()
                                .map(mark -> ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
                                .orElse(""))
                + ": " + why);
    }
}
