package dev.weir.checks.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The modules of Weir, with their folders, packages and permitted modules. Has only constants. */
enum WeirModule {
    STREAM("weir-stream", "stream"),
    SIMULATION("weir-simulation", "simulation"),
    LEAN("weir-lean", "lean"),
    KAFKA("weir-kafka", "kafka"),
    METRICS("weir-metrics", "metrics"),
    CONSOLE("weir-console", "console"),
    COMMAND("weir-command", "command"),
    TESTKIT("weir-testkit", "testkit"),
    DRIVER("bench/weir-driver", "driver"),
    BENCH("bench/weir-bench", "bench"),
    OTEL("weir-otel", "otel"),
    JDBC("weir-jdbc", "jdbc"),
    SPRING("weir-spring-boot-starter", "spring"),
    ASIMOV("examples/asimov", "examples.asimov"),
    CLI("weir-cli", "cli"),
    FORMATS_EXAMPLE("examples/formats", "examples.formats"),
    PIPELINES_EXAMPLE("examples/pipelines", "examples.pipelines"),
    PLAIN_EXAMPLE("examples/plain", "examples.plain"),
    SPRING_EXAMPLE("examples/spring", "examples.spring");

    /** Classes that jcstress generates for a case. */
    private static final Pattern GENERATED = Pattern.compile(".*_jcstress(\\$.*)?\\.class");

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    final String folder;
    final String packageName;

    WeirModule(String folder, String packageName) {
        this.folder = folder;
        this.packageName = packageName;
    }

    /** Returns the packages of the modules that this module may use. */
    Set<String> uses() {
        return switch (this) {
            case STREAM, DRIVER, SIMULATION -> Set.of();
            // Only the tests use the simulation.
            case LEAN -> Set.of("simulation");
            case KAFKA -> Set.of("stream", "lean", "simulation");
            case METRICS, TESTKIT, JDBC, ASIMOV -> Set.of("stream", "kafka");
            // Only the tests of these modules use the testkit.
            case OTEL, FORMATS_EXAMPLE, PLAIN_EXAMPLE -> Set.of("stream", "kafka", "testkit");
            case PIPELINES_EXAMPLE -> Set.of("stream", "kafka", "console", "testkit");
            case SPRING -> Set.of("stream", "kafka", "metrics", "console", "testkit");
            case SPRING_EXAMPLE -> Set.of("stream", "kafka", "spring", "testkit");
            // Only the tests use the browser.
            case CONSOLE -> Set.of("stream", "kafka", "metrics", "checks.browser");
            case COMMAND -> Set.of("stream", "kafka", "metrics", "console");
            // Only tests use the program in weir-cli, as the POM ensures.
            case BENCH -> Set.of("stream", "kafka", "metrics", "console", "command", "testkit", "driver", "cli");
            // ServiceLoader finds the benchmark's commands, so the program does not depend on them.
            case CLI -> Set.of("stream", "kafka", "metrics", "console", "command", "testkit", "examples.asimov");
        };
    }

    boolean hasMainSources() {
        return hasSources("src/main/java");
    }

    boolean hasTestSources() {
        return hasSources("src/test/java");
    }

    JavaClasses mainClasses() {
        return compiledTo(List.of(mainFolder()));
    }

    JavaClasses testClasses() {
        return compiledTo(List.of(Path.of(folder, "target", "test-classes")));
    }

    private Path mainFolder() {
        return Path.of(folder, "target", "classes");
    }

    static JavaClasses allMainClasses() {
        return compiledTo(Arrays.stream(values()).map(WeirModule::mainFolder).toList());
    }

    /** Returns the main and test classes of all modules and checks, without this module. */
    static JavaClasses allClasses() {
        return Compiled.ALL;
    }

    /** Holds the compiled classes. Reading them takes many seconds. */
    private static final class Compiled {
        static final JavaClasses ALL = readAll();

        private static JavaClasses readAll() {
            Stream<String> folders = Stream.concat(
                    Arrays.stream(values()).map(module -> module.folder),
                    Stream.of(
                            "checks/browser",
                            "checks/concurrency",
                            "checks/deploy",
                            "checks/integration",
                            "checks/interop",
                            "checks/language",
                            "checks/pipelines",
                            "checks/release"));
            return new ClassFileImporter()
                    .withImportOption(location -> !location.matches(GENERATED))
                    .importPaths(folders.flatMap(folder -> Stream.of("classes", "test-classes")
                                    .map(kind -> ROOT.resolve(folder)
                                            .resolve("target")
                                            .resolve(kind)))
                            .filter(Files::isDirectory)
                            .toList());
        }
    }

    private static JavaClasses compiledTo(List<Path> folders) {
        List<Path> places = folders.stream().map(ROOT::resolve).toList();
        return Compiled.ALL.that(describe(
                "compiled to " + folders,
                type -> type.getSource()
                        .map(source -> Path.of(source.getUri()))
                        .filter(file -> places.stream().anyMatch(file::startsWith))
                        .isPresent()));
    }

    /** Returns the folders of the modules in the parent POM. */
    static List<String> foldersOfBuild() throws IOException {
        return Files.readAllLines(ROOT.resolve("pom.xml")).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("<module>"))
                .map(line -> line.substring("<module>".length(), line.indexOf("</module>")))
                .toList();
    }

    private boolean hasSources(String sourceFolder) {
        Path sources = ROOT.resolve(folder).resolve(sourceFolder);
        if (!Files.isDirectory(sources)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(sources)) {
            return files.anyMatch(file -> file.toString().endsWith(".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
