package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/kolo/xmlrpc"
)

func must(err error) {
	if err != nil {
		fmt.Println("not ok:", err)
		os.Exit(1)
	}
}

func check(name string, got, want interface{}) {
	if reflect.DeepEqual(got, want) {
		fmt.Println("ok " + name)
	} else {
		fmt.Printf("not ok %s: %#v\n", name, got)
	}
}

var demo, interop *xmlrpc.Client

func call(client *xmlrpc.Client, method string, params ...interface{}) interface{} {
	var got interface{}
	must(client.Call(method, params, &got))
	return got
}

func echo(value interface{}) interface{} { return call(interop, "test.echo", value) }

func fault(client *xmlrpc.Client, method string, params ...interface{}) interface{} {
	var got interface{}
	err := client.Call(method, params, &got)
	if err == nil {
		return got
	}
	return err.Error()
}

func list(values ...interface{}) []interface{} { return values }

type object = map[string]interface{}

func main() {
	var err error
	demo, err = xmlrpc.NewClient(os.Args[1]+"/demo", nil)
	must(err)
	interop, err = xmlrpc.NewClient(os.Args[1]+"/interop", nil)
	must(err)

	check("demo: system.listMethods", call(demo, "system.listMethods"),
		list("system.listMethods", "system.methodHelp", "system.methodSignature", "test.battingOrder"))
	check("demo: system.methodHelp", call(demo, "system.methodHelp", "test.battingOrder"),
		"The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]")
	check("demo: system.methodSignature", call(demo, "system.methodSignature", "test.battingOrder"), list(list("string", "int")))
	check("demo: a state", call(demo, "test.battingOrder", 4), "Georgia")
	check("demo: no state", call(demo, "test.battingOrder", 51), "Out of cheese error.")
	check("demo: a fault for a wrong type", strings.Contains(fmt.Sprint(fault(demo, "test.battingOrder", "4")), "-32602"), true)
	check("demo: a fault for an unknown method", strings.Contains(fmt.Sprint(fault(demo, "nope")), "-32601"), true)
	text := "a < b & c > d 'e' \"f\" é中😀 ]]>"
	check("string", echo(text), text)
	var empty string
	must(interop.Call("test.echo", list(""), &empty))
	check("empty string", empty, "")
	check("int", list(echo(-2147483648), echo(2147483647)), list(int64(-2147483648), int64(2147483647)))
	check("double", list(echo(0.5), echo(-12.214), echo(1e300)), list(0.5, -12.214, 1e300))
	check("integral double", echo(2.0), 2.0)
	check("boolean", list(echo(true), echo(false)), list(true, false))
	moment := time.Date(1998, 7, 17, 14, 8, 55, 0, time.UTC)
	check("dateTime", echo(moment), moment)
	bytes := make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	encoded := base64.StdEncoding.EncodeToString(bytes)
	check("base64", echo(xmlrpc.Base64(encoded)), encoded)
	check("array", echo(list(1, "x", list(true))), list(int64(1), "x", list(true)))
	check("struct", echo(object{"a": 1, "__proto__": 2}), object{"a": int64(1), "__proto__": int64(2)})
	check("nested", echo(object{"a": list(object{"b": list(2.0, object{"c": "x"})})}),
		object{"a": list(object{"b": list(2.0, object{"c": "x"})})})
	check("add", call(interop, "test.add", 2, 3), int64(5))
	check("greet", list(call(interop, "test.greet", "Joe"), call(interop, "test.greet", "Joe", "Bye")), list("Hello, Joe!", "Bye, Joe!"))
	check("many types", call(interop, "validator1.manyTypesTest", 7, true, "x", 2.0, moment, xmlrpc.Base64("AP8=")),
		list(int64(7), true, "x", 2.0, moment, "AP8="))
	check("stooges", call(interop, "validator1.easyStructTest", object{"moe": 1, "larry": 2, "curly": 3}), int64(6))
	check("a fault of its own", fault(interop, "test.fail", 42, "as told"), "Fault(42): as told")
}
