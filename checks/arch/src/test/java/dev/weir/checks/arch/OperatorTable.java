package dev.weir.checks.arch;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The table of all operators, extracted from the facade's sources with the compiler. Names and descriptions come from
 * Javadoc; acknowledgements and costs come from {@code Operator} annotations. Confined to one thread.
 */
final class OperatorTable {

    private static final String MARK = "dev.weir.stream.Operator";

    /** Methods that configure the upstream stage and add no stage. */
    private static final Set<String> NO_OPERATORS = Set.of("named", "with", "supervised");

    /** The types whose values are parts of a pipeline. */
    private static final Set<String> BLUEPRINTS = Set.of(
            "dev.weir.stream.Source",
            "dev.weir.stream.Sink",
            "dev.weir.stream.Sink.Loop",
            "dev.weir.stream.ResultSink");

    /** Annotation values that the page states once, above its tables. */
    private static final Set<String> USUAL = Set.of(
            "each goes with its element",
            "kept with each element",
            "stays beside its element",
            "with the element",
            "with the element; one that is dropped at once",
            "dropped elements at once; the others' go with them",
            "no allocation");

    private final Elements elements;
    private final Types types;
    private final List<TypeElement> facades;

    private OperatorTable(Elements elements, Types types, List<TypeElement> facades) {
        this.elements = elements;
        this.types = types;
        this.facades = facades;
    }

    /** Reads the sources of the facade: Source, its superclasses, and Sink. */
    static OperatorTable read(Path sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.list(sources)) {
            List<Path> javaFiles = all.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .toList();
            Iterable<? extends JavaFileObject> units = files.getJavaFileObjectsFromPaths(javaFiles);
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, diagnostic -> {}, List.of("-proc:none", "-Xlint:none"), null, units);
            List<TypeElement> types = StreamSupport.stream(task.analyze().spliterator(), false)
                    .filter(TypeElement.class::isInstance)
                    .map(TypeElement.class::cast)
                    .toList();
            return new OperatorTable(task.getElements(), task.getTypes(), facadesAmong(types));
        }
    }

    private static List<TypeElement> facadesAmong(List<TypeElement> types) {
        Map<String, TypeElement> byName = types.stream()
                .collect(Collectors.toMap(type -> type.getSimpleName().toString(), type -> type, (a, b) -> a));
        List<TypeElement> facades = new ArrayList<>();
        TypeElement source = byName.get("Source");
        facades.add(source);
        List<TypeElement> families = new ArrayList<>();
        for (TypeElement type = source; (type = superclass(type, byName)) != null; ) {
            families.addFirst(type);
        }
        facades.addAll(families);
        facades.add(byName.get("Sink"));
        return facades;
    }

    private static TypeElement superclass(TypeElement type, Map<String, TypeElement> byName) {
        String name = type.getSuperclass().toString().replaceAll("<.*", "").replaceAll(".*\\.", "");
        return byName.get(name);
    }

    /** Returns the public methods that create a part of a pipeline without the annotation. */
    List<String> unmarked() {
        return facades.stream()
                .flatMap(facade -> methods(facade)
                        .filter(method -> isBlueprint(method.getReturnType()))
                        .filter(method -> mark(method) == null)
                        .filter(method ->
                                !NO_OPERATORS.contains(method.getSimpleName().toString()))
                        .map(method -> facade.getSimpleName() + "." + signature(method)))
                .toList();
    }

    String markdown() {
        StringBuilder page = new StringBuilder("""
                # Operators

                This page is generated from the code. To update it after a change of an operator's Javadoc or
                `@Operator` annotation, run:
                `./mvnw -q test -pl checks/arch -am -Dtest=OperatorTableTest -Dsurefire.failIfNoSpecifiedTests=false -Dweir.write=true`

                Signatures omit type arguments. Each operator's Javadoc has the details. The third column says when
                an element is [acknowledged](glossary.md#acknowledgements) to its source; `none` means that the
                elements have no acknowledgement. If this column is empty, an emitted element keeps its
                acknowledgement, and a dropped element is acknowledged at once. If the last column is empty, the
                operator allocates nothing.
                """);
        for (TypeElement facade : facades) {
            List<ExecutableElement> marked =
                    methods(facade).filter(method -> mark(method) != null).toList();
            if (!marked.isEmpty()) {
                page.append("\n## ").append(heading(facade)).append("\n\n");
                page.append("| operator | does | acknowledgements | cost |\n|---|---|---|---|\n");
                marked.forEach(method -> page.append(row(method)));
            }
        }
        return page.toString();
    }

    private String heading(TypeElement facade) {
        return switch (facade.getSimpleName().toString()) {
            case "Source" -> "Sources";
            case "Sink" -> "Sinks";
            default -> firstSentence(facade).replaceAll("\\.$", "");
        };
    }

    private String row(ExecutableElement method) {
        return "| `%s` | %s |%s |%s |%n"
                .formatted(
                        signature(method).replace("|", "\\|"),
                        firstSentence(method),
                        cell(markValue(method, "acks")),
                        cell(markValue(method, "cost")));
    }

    private static String cell(String value) {
        return USUAL.contains(value) ? "" : " " + value;
    }

    private Stream<ExecutableElement> methods(TypeElement facade) {
        boolean isInterface = facade.getKind().isInterface();
        return ElementFilter.methodsIn(facade.getEnclosedElements()).stream()
                .filter(method -> isInterface || method.getModifiers().contains(Modifier.PUBLIC))
                .sorted(Comparator.comparing(method -> method.getSimpleName().toString()));
    }

    private boolean isBlueprint(TypeMirror type) {
        return BLUEPRINTS.contains(types.erasure(type).toString());
    }

    private String signature(ExecutableElement method) {
        String parameters = method.getParameters().stream()
                .map(parameter -> simpleType(method, parameter) + " " + parameter.getSimpleName())
                .collect(Collectors.joining(", "));
        return method.getSimpleName() + "(" + parameters + ")";
    }

    private String simpleType(ExecutableElement method, VariableElement parameter) {
        boolean isLast = method.getParameters().getLast().equals(parameter);
        String name = parameter
                .asType()
                .toString()
                .replaceAll("<.*>", "")
                .replaceAll("@\\S+ ", "")
                .replaceAll("[\\w.]+\\.", "");
        return method.isVarArgs() && isLast ? name.replace("[]", "...") : name;
    }

    private AnnotationMirror mark(ExecutableElement method) {
        return method.getAnnotationMirrors().stream()
                .filter(annotation -> annotation.getAnnotationType().toString().equals(MARK))
                .findFirst()
                .map(AnnotationMirror.class::cast)
                .orElse(null);
    }

    private String markValue(ExecutableElement method, String name) {
        return mark(method).getElementValues().entrySet().stream()
                .filter(entry -> entry.getKey().getSimpleName().contentEquals(name))
                .map(entry -> entry.getValue().getValue().toString())
                .findFirst()
                .orElseThrow();
    }

    private String firstSentence(Element element) {
        String comment = elements.getDocComment(element);
        if (comment == null) {
            throw new IllegalStateException("no Javadoc: " + element);
        }
        return JavadocText.firstSentence(comment);
    }
}
