package dev.weir.checks.arch;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The types of a source file, parsed by the compiler: methods, record components and Javadoc, in file order. Immutable
 * after reading.
 */
final class SettingsSource {

    private static final Pattern DEFAULT_VALUE = Pattern.compile("@DefaultValue\\((?:value ?= ?)?\"([^\"]*)\"\\)");
    private static final Pattern PARAMETER =
            Pattern.compile("@param\\s+(\\w+)\\s+(.*?)(?=\\s*@param|\\s*@throws|\\s*@return|\\z)", Pattern.DOTALL);

    /**
     * A method, or a component of a record.
     *
     * @param type the return type or the component's type; the enclosing type in place of its type parameter
     * @param doc its comment, or empty
     * @param byDefault the default of a component, or empty
     */
    record Member(String name, String type, boolean isPublic, boolean isComponent, String doc, String byDefault) {}

    private final Map<String, List<Member>> members = new LinkedHashMap<>();
    private final Map<String, String> docs = new LinkedHashMap<>();

    private SettingsSource() {}

    static SettingsSource read(Path file) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    diagnostic -> {},
                    List.of("-proc:none", "-Xlint:none"),
                    null,
                    files.getJavaFileObjects(file));
            SettingsSource source = new SettingsSource();
            Trees trees = Trees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                source.new Reader(trees).scan(unit, null);
            }
            return source;
        }
    }

    /** Returns the methods of a type, or the components of a record. */
    List<Member> members(String type) {
        return members.getOrDefault(type, List.of());
    }

    String doc(String type) {
        return docs.getOrDefault(type, "");
    }

    private final class Reader extends TreePathScanner<Void, Void> {

        private final Trees trees;

        Reader(Trees trees) {
            this.trees = trees;
        }

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            String name = type.getSimpleName().toString();
            docs.put(name, doc(getCurrentPath()));
            List<Member> own = new ArrayList<>();
            if (type.getKind() == Tree.Kind.RECORD) {
                Map<String, String> parameters = parameters(docs.get(name));
                for (Tree member : type.getMembers()) {
                    if (member instanceof VariableTree component
                            && !component.getModifiers().getFlags().contains(Modifier.STATIC)) {
                        own.add(component(component, parameters));
                    }
                }
            }
            String self = selfType(type);
            for (Tree member : type.getMembers()) {
                if (member instanceof MethodTree method && method.getReturnType() != null) {
                    String returned = method.getReturnType().toString();
                    own.add(new Member(
                            method.getName().toString(),
                            returned.equals(self) ? name : returned,
                            method.getModifiers().getFlags().contains(Modifier.PUBLIC),
                            false,
                            doc(new TreePath(getCurrentPath(), method)),
                            ""));
                }
            }
            members.put(name, own);
            return super.visitClass(type, null);
        }

        /** Returns the type parameter for the type itself, or empty. */
        private static String selfType(ClassTree type) {
            return type.getTypeParameters().stream()
                    .filter(parameter -> parameter.getBounds().stream()
                            .anyMatch(bound -> bound.toString().startsWith(type.getSimpleName() + "<")))
                    .map(parameter -> parameter.getName().toString())
                    .findFirst()
                    .orElse("");
        }

        private String doc(TreePath path) {
            String comment = trees.getDocComment(path);
            return comment == null ? "" : comment;
        }
    }

    private static Member component(VariableTree component, Map<String, String> parameters) {
        Matcher value = DEFAULT_VALUE.matcher(component.getModifiers().toString());
        String byDefault = value.find() ? value.group(1) : "";
        String name = component.getName().toString();
        String type = component.getType().toString().replaceAll("@\\w+(?:\\(\\))? ?", "");
        return new Member(name, type, true, true, parameters.getOrDefault(name, ""), byDefault);
    }

    private static Map<String, String> parameters(String doc) {
        Map<String, String> parameters = new LinkedHashMap<>();
        Matcher parameter = PARAMETER.matcher(doc);
        while (parameter.find()) {
            parameters.put(parameter.group(1), parameter.group(2).strip());
        }
        return parameters;
    }
}
