package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import dev.weir.bench.environment.BenchFolder;
import dev.weir.bench.workload.Spelling;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Provides other versions of the libraries under test and of Kafka's server. A library version is a jar below
 * {@code drivers/target/libraries}; a server version is a file in that folder that contains a class path. Maven
 * downloads missing versions, so Maven's settings for mirrors and proxies apply. Thread-safe.
 */
public final class LibraryVersions {
    /** A POM that depends on the server; the version is a property. */
    private static final String SERVER_POM = "checks/broker-release/pom.xml";

    private static final String SERVER = "org.apache.kafka:kafka_2.13:";

    private static final Pattern ERROR = Pattern.compile("^\\[ERROR\\] *(.*)$", Pattern.MULTILINE);

    private final Path root;
    private final Path folder;

    /**
     * Creates the provider of the versions that are stored in a checkout.
     *
     * @param root the root folder of the checkout
     */
    public LibraryVersions(Path root) {
        this.root = root;
        this.folder = BenchFolder.in(root).resolve("drivers/target/libraries");
    }

    /**
     * Returns the jar of a library version and downloads it if necessary.
     *
     * @param coordinates group and artifact, for example {@code org.apache.kafka:kafka-clients}
     * @throws BenchException with Maven's output, if the version does not exist or cannot be downloaded
     */
    Path jar(String driver, String coordinates, String version) {
        if (!version.matches(Spelling.VERSION)) {
            throw new BenchException("driver " + driver + ": the text after @ is not a version: " + version
                    + "; write 2.4.0, for example");
        }
        String name = coordinates.substring(coordinates.indexOf(':') + 1) + "-" + version + ".jar";
        Path jar = folder.resolve(name);
        if (!Files.exists(jar)) {
            String what = "driver " + driver + " needs " + coordinates + ":" + version;
            maven(
                    what,
                    "; or put " + name + " into " + folder + " yourself",
                    "pom.xml",
                    List.of(
                            "-N",
                            "dependency:copy",
                            "-Dartifact=" + coordinates + ":" + version,
                            "-DoutputDirectory=" + folder));
            requireWritten(what, jar);
        }
        return jar;
    }

    /**
     * Returns the jars of a version of Kafka's server and of its dependencies. Missing jars are downloaded.
     *
     * @param version must match {@link Spelling#VERSION}
     * @throws BenchException with Maven's output, if the jars cannot be downloaded
     */
    public List<Path> serverClassPath(String version) {
        Path file = folder.resolve("kafka-server-" + version + ".classpath");
        List<Path> known = classPath(file);
        if (!known.isEmpty() && known.stream().allMatch(Files::exists)) {
            return known;
        }
        String what = "brokerVersion=" + version + " needs " + SERVER + version;
        maven(
                what,
                "; releases are listed at https://kafka.apache.org/downloads",
                SERVER_POM,
                List.of(
                        "dependency:build-classpath",
                        "-DincludeScope=runtime",
                        "-Dserver.version=" + version,
                        "-Dmdep.outputFile=" + file));
        requireWritten(what, file);
        return classPath(file);
    }

    private static List<Path> classPath(Path file) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            return Stream.of(Files.readString(file).strip().split(File.pathSeparator, -1))
                    .map(Path::of)
                    .toList();
        } catch (IOException e) {
            throw new BenchException("cannot read " + file + ": " + e, e);
        }
    }

    private static void requireWritten(String what, Path file) {
        if (!Files.exists(file)) {
            throw new BenchException(what + ", and Maven ended without " + file);
        }
    }

    private void maven(String what, String wayOut, String pom, List<String> arguments) {
        Path maven = root.resolve("mvnw");
        if (!Files.isExecutable(maven)) {
            throw new BenchException(
                    what + ", which is fetched by the Maven of a checkout, and there is none in " + root + wayOut);
        }
        List<String> command = new ArrayList<>(
                List.of(maven.toString(), "-q", "-B", "-f", root.resolve(pom).toString()));
        command.addAll(arguments);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                var error = ERROR.matcher(said);
                throw new BenchException(what + ", which Maven could not fetch: "
                        + (error.find() ? error.group(1) : said.strip()) + wayOut);
            }
        } catch (IOException e) {
            throw new BenchException(what + ", and Maven could not be started: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while Maven ran: " + what, e);
        }
    }
}
